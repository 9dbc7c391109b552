#include "openworld/osr/method.h"

#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace openworld {

double osr_lr(LrSchedule schedule, double lr, std::int64_t epoch, std::int64_t epochs,
              std::int64_t restarts) {
  switch (schedule) {
    case LrSchedule::kConstant:
      break;
    case LrSchedule::kSteps: {
      int drops = 0;
      for (const std::int64_t percent : {30, 60, 90}) drops += 100 * epoch >= percent * epochs;
      return lr * std::pow(0.1, drops);
    }
    case LrSchedule::kRestarts: {
      const std::int64_t period = std::max<std::int64_t>(epochs / (restarts + 1), 1);
      const std::int64_t at = std::max<std::int64_t>(epoch - 1, 0) % period;
      const double floor = lr * 1e-3;
      const double turn = std::numbers::pi * static_cast<double>(at) / static_cast<double>(period);
      return floor + (lr - floor) * (1 + std::cos(turn)) / 2;
    }
  }
  return lr;
}

void OsrOptions::declare(OptionList& list) {
  list.add("epochs", epochs, 1, 1 << 20, "passes over the training samples");
  list.add("batch", batch, 2, 1 << 16, "samples in a step");
  list.add("lr", lr, 1e-9, 1e3, "learning rate");
  list.add("schedule", schedule,
           {{"constant", LrSchedule::kConstant},
            {"steps", LrSchedule::kSteps},
            {"restarts", LrSchedule::kRestarts}},
           "of the learning rate: x 0.1 after 30, 60 and 90 % of the epochs, or cosine with "
           "restarts");
  list.add("restarts", restarts, 0, 1 << 16, "of the schedule of that name");
  list.add("optimizer", optimizer, {"sgd", "adam"}, "of network and head");
  list.add("momentum", momentum, 0, 1, "of sgd");
  list.add("weight_decay", weight_decay, 0, 1, "L2, of network and head");
  list.add("augment", augment,
           {{"auto", AugmentKind::kAuto},
            {"none", AugmentKind::kNone},
            {"crop", AugmentKind::kCrop},
            {"rand", AugmentKind::kRand}},
           "of images: crop and flip, or RandAugment before them; auto is crop, but none for "
           "mnist and fashion-mnist");
  list.add("rand_n", rand_n, 1, 16, "operations of RandAugment");
  list.add("rand_m", rand_m, 0, 30, "strength of RandAugment");
  list.add("pixels", pixels, {{"plain", PixelScale::kPlain}, {"cifar", PixelScale::kCifar}},
           "value / 255, or that normalised by CIFAR's mean and std");
  list.add("temperature", temperature, 1e-6, 1e6, "that logits are divided by in the loss");
  list.add("smoothing", smoothing, 0, 0.999, "of labels, spread over the other classes");
  list.add("score", score, {{"softmax", OsrScore::kSoftmax}, {"logit", OsrScore::kLogit}},
           "of a sample: its largest softmax, or its largest logit");
}

void OsrOptions::use_strong_recipe() {
  epochs = 600;
  batch = 128;
  schedule = LrSchedule::kRestarts;
  augment = AugmentKind::kRand;
  pixels = PixelScale::kCifar;
  score = OsrScore::kLogit;
}

OptimizerOptions OsrOptions::optimizer_options() const {
  return {.kind = optimizer == "adam" ? OptimizerKind::kAdam : OptimizerKind::kSgd,
          .momentum = momentum,
          .weight_decay = weight_decay};
}

std::string OsrOptions::against_divergence() const {
  return fmt::format("train with a lower learning rate, such as lr={:g}, or larger batches",
                     lr / 10);
}

at::Tensor osr_scores(const at::Tensor& logits, OsrScore score) {
  return score == OsrScore::kSoftmax ? at::softmax(logits, 1) : logits;
}

}  // namespace openworld
