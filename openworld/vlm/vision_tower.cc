#include "openworld/vlm/vision_tower.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <cmath>

#include "openworld/base/error.h"
#include "openworld/vlm/activation.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/vision_attention.h"

namespace openworld {
namespace {

using at::Tensor;

void check(const VisionTower& tower, const Tensor& images, const VisionOptions& options) {
  const std::int64_t size = tower.config.preprocessing.image_size;
  if (images.dim() != 4 || images.size(1) != 3 || images.size(2) != size ||
      images.size(3) != size) {
    fail("encode_images", fmt::format("images must be [n, 3, {0}, {0}]", size));
  }
  std::int64_t next = 0;
  for (const VisualPrompt& prompt : options.prompts) {
    if (prompt.block < next || prompt.block >= tower.config.vision.layers) {
      fail("encode_images", fmt::format("visual prompts need increasing blocks below {}, got {}",
                                        tower.config.vision.layers, prompt.block));
    }
    if (prompt.rows.size(-1) != tower.config.vision.width) {
      fail("encode_images", fmt::format("visual prompts have {} columns, the vision tower has {}",
                                        prompt.rows.size(-1), tower.config.vision.width));
    }
    next = prompt.block + 1;
  }
  if (options.read_only && (options.prompts.size() != 1 || options.prompts[0].block != 0 ||
                            options.mask.defined() || options.local)) {
    fail("encode_images",
         "read-only prompts are one prompt at block 0, without a mask and patches");
  }
}

// Whether block 1 replaces the rows of block 0, all of them and no others.
bool replaces_first_rows(const VisionOptions& options) {
  const std::vector<VisualPrompt>& prompts = options.prompts;
  return prompts.size() > 1 && prompts[0].block == 0 && prompts[1].block == 1 &&
         prompts[0].rows.size(-2) == prompts[1].rows.size(-2);
}

Tensor per_image(const Tensor& rows, std::int64_t images) {
  return rows.dim() == 3 ? rows : rows.unsqueeze(0).expand({images, rows.size(0), rows.size(1)});
}

// Tokens [n, 1 + grid * grid (+ prompts), d] before ln_pre.
Tensor embed(const VisionTower& tower, Tensor x) {
  const VisionWeights& w = tower.weights;
  for (std::size_t i = 0; i < w.stem.size(); ++i) {
    const std::int64_t stride = tower.config.stem[i].stride;
    x = at::conv2d(x, w.stem[i].weight, w.stem[i].bias, stride, /*padding=*/1);
    x = activate(x, tower.config.activation);
  }
  x = at::conv2d(x, w.patch, /*bias=*/{}, w.patch.size(2)).flatten(2).transpose(1, 2);
  const Tensor head = w.class_embedding.expand({x.size(0), 1, x.size(2)});
  return at::cat({head, x}, 1) + w.positional_embedding;
}

// [n, rows, d] as [n * heads, rows, d / heads].
Tensor by_head(const Tensor& x, std::int64_t heads) {
  const std::int64_t n = x.size(0), rows = x.size(1), dim = x.size(2) / heads;
  return x.reshape({n, rows, heads, dim}).transpose(1, 2).reshape({n * heads, rows, dim});
}

// How the rows of a tower attend to each other.
struct Attention {
  Attention(const ClipConfig& config, const VisionOptions& options, const at::Device& device)
      : heads(config.vision.heads),
        mask(options.mask),
        in_place(!options.prompts.empty() && !mask.defined() && uses_kernels(device)) {}
  Attention(const ClipConfig& config, const Tensor& added)
      : heads(config.vision.heads), mask(added) {}

  // Of some of the queries.
  Attention of(const Tensor& masked) const {
    Attention part = *this;
    part.mask = masked;
    return part;
  }

  std::int64_t heads;
  Tensor mask;
  // By vision_attention: where rows are learned, and graphs would keep the weights.
  bool in_place = false;
};

// Attention of the rows `query` [n, q, d] to those of `kv` [n, rows, 2 d]; [n, q, d].
Tensor attend(const Tensor& query, const Tensor& kv, const Attention& attention) {
  const std::int64_t heads = attention.heads, d = query.size(2);
  if (attention.in_place) return vision_attention(query, kv, heads);
  const double scale = 1 / std::sqrt(static_cast<double>(d / heads));
  const Tensor q = by_head(query, heads);
  const Tensor k = by_head(kv.narrow(2, 0, d), heads);
  const Tensor v = by_head(kv.narrow(2, d, d), heads);
  const Tensor zero = attention.mask.defined() ? attention.mask : q.new_zeros({1});
  const Tensor scores = at::baddbmm(zero, q, k.transpose(1, 2), /*beta=*/1, /*alpha=*/scale);
  const Tensor mixed = at::bmm(at::softmax(scores, -1), v);
  const std::int64_t n = query.size(0), rows = query.size(1);
  return mixed.reshape({n, heads, rows, d / heads}).transpose(1, 2).reshape({n, rows, d});
}

// Rows from the last block's values alone: v = x + out(V(LN1 x)), then its MLP and ln_post.
Tensor local_rows(const VisionTower& tower, const Tensor& x, const Tensor& values) {
  const VisionWeights& w = tower.weights;
  const BlockWeights& block = w.blocks.back();
  const std::int64_t patches = w.positional_embedding.size(0) - 1;
  const Tensor mixed = linear(values.narrow(1, 1, patches), block.out);
  const Tensor y = feed_forward(x.narrow(1, 1, patches) + mixed, block, tower.config);
  return layer_norm(y, w.ln_post, tower.config.layer_norm_eps);
}

// Attention of few queries to rows `normed` [n, rows, d], from which `kv` would compute keys and
// values: q_h . (K_h x) = (K_h' q_h) . x, and a mean of V_h x is V_h of a mean, so neither has to
// be known. A shift of all scores of a query, as by the bias of the keys, changes nothing.
Tensor attend_without_keys(const Tensor& query, const Tensor& normed, const Affine& kv,
                           std::int64_t heads) {
  const std::int64_t n = query.size(0), queries = query.size(1), d = query.size(2);
  const std::int64_t width = d / heads;
  const auto per_head = [&](std::int64_t from) {
    return kv.weight.narrow(0, from, d).reshape({heads, width, d});
  };
  const Tensor q = query.reshape({n * queries, heads, width}).transpose(0, 1);
  const Tensor asked = at::bmm(q, per_head(0));  // [heads, n * queries, d]
  const Tensor scores = at::bmm(
      asked.reshape({heads, n, queries, d}).transpose(0, 1).reshape({n, heads * queries, d}),
      normed.transpose(1, 2));
  const Tensor weights = at::softmax(scores / std::sqrt(static_cast<double>(width)), -1);
  const Tensor means = at::bmm(weights, normed)
                           .reshape({n, heads, queries, d})
                           .transpose(0, 1)
                           .reshape({heads, n * queries, d});
  const Tensor mixed = at::bmm(means, per_head(d).transpose(1, 2)).transpose(0, 1);
  return mixed.reshape({n, queries, d}) + kv.bias.narrow(0, d, d);
}

VisionFeatures last_block(const VisionTower& tower, const Tensor& x, const VisionOptions& options,
                          const Attention& attention) {
  const ClipConfig& config = tower.config;
  const VisionWeights& w = tower.weights;
  const BlockWeights& block = w.blocks.back();
  const std::int64_t d = config.vision.width;
  std::vector<std::int64_t> rows = options.readouts;
  for (std::int64_t& row : rows) {
    if (row < -x.size(1) || row >= x.size(1)) {
      fail("encode_images", fmt::format("no row {} to read, there are {}", row, x.size(1)));
    }
    if (row < 0) row += x.size(1);
  }
  const Tensor index = index_tensor(rows, x.device());

  const Tensor normed = layer_norm(x, block.ln_1, config.layer_norm_eps);
  const Affine to_kv = outputs_of(block.qkv, d, 2 * d);
  const Tensor query = linear(normed.index_select(1, index), outputs_of(block.qkv, 0, d));
  const bool few = attention.heads * query.size(1) < x.size(1);
  Tensor kv, mixed;
  if (attention.in_place && few && !options.local) {
    mixed = attend_without_keys(query, normed, to_kv, attention.heads);
  } else {
    const Tensor mask = options.mask.defined() ? options.mask.index_select(0, index) : Tensor();
    kv = linear(normed, to_kv);
    mixed = attend(query, kv, attention.of(mask));
  }
  Tensor y = x.index_select(1, index) + linear(mixed, block.out);
  y = layer_norm(feed_forward(y, block, config), w.ln_post, config.layer_norm_eps);

  VisionFeatures result;
  result.features = at::matmul(y, w.projection);
  if (options.local) result.local = local_rows(tower, x, kv.narrow(2, d, d));
  return result;
}

// The states of the first `rows` rows after a block; those after them are only seen.
Tensor leading_rows(const Tensor& x, const BlockWeights& block, const ClipConfig& config,
                    const Attention& attention, std::int64_t rows) {
  const std::int64_t d = config.vision.width;
  const Tensor normed = layer_norm(x, block.ln_1, config.layer_norm_eps);
  const Tensor kv = linear(normed, outputs_of(block.qkv, d, 2 * d));
  const Tensor query = linear(normed.narrow(1, 0, rows), outputs_of(block.qkv, 0, d));
  const Tensor& mask = attention.mask;
  const Tensor mixed =
      attend(query, kv, attention.of(mask.defined() ? mask.narrow(0, 0, rows) : Tensor()));
  return feed_forward(x.narrow(1, 0, rows) + linear(mixed, block.out), block, config);
}

// Rows that see the image's and that no row sees, through all blocks. `x` are the image's rows and
// `rows` the others, both after ln_pre.
Tensor read_only_rows(const VisionTower& tower, Tensor x, Tensor rows, const Attention& attention) {
  const ClipConfig& config = tower.config;
  const std::int64_t d = config.vision.width;
  for (std::int64_t b = 0; b < config.vision.layers; ++b) {
    const BlockWeights& block = tower.weights.blocks[static_cast<std::size_t>(b)];
    const bool is_last = b == config.vision.layers - 1;
    Tensor kv;
    {
      const at::NoGradGuard no_grad;
      const Tensor normed = layer_norm(x, block.ln_1, config.layer_norm_eps);
      if (is_last) {
        kv = linear(normed, outputs_of(block.qkv, d, 2 * d));
      } else {
        const Tensor qkv = linear(normed, block.qkv);
        kv = qkv.narrow(2, d, 2 * d);
        const Tensor mixed = attend(qkv.narrow(2, 0, d), kv, attention);
        x = feed_forward(x + linear(mixed, block.out), block, config);
      }
    }
    const Tensor query =
        linear(layer_norm(rows, block.ln_1, config.layer_norm_eps), outputs_of(block.qkv, 0, d));
    const Tensor mixed = attend(query, kv, attention);
    rows = feed_forward(rows + linear(mixed, block.out), block, config);
  }
  return rows;
}

VisionFeatures encode_read_only(const VisionTower& tower, const Tensor& images,
                                const Tensor& prompt, const Attention& attention) {
  const VisionWeights& w = tower.weights;
  const double eps = tower.config.layer_norm_eps;
  Tensor x;
  {
    const at::NoGradGuard no_grad;
    x = layer_norm(embed(tower, images), w.ln_pre, eps);
  }
  const Tensor rows = layer_norm(per_image(prompt, x.size(0)), w.ln_pre, eps);
  const Tensor y = layer_norm(read_only_rows(tower, x, rows, attention), w.ln_post, eps);
  return {at::matmul(y, w.projection), Tensor()};
}

Tensor all_rows(const Tensor& x, const BlockWeights& block, const ClipConfig& config,
                const Attention& attention) {
  const std::int64_t d = config.vision.width;
  const Tensor qkv = linear(layer_norm(x, block.ln_1, config.layer_norm_eps), block.qkv);
  const Tensor mixed = attend(qkv.narrow(2, 0, d), qkv.narrow(2, d, 2 * d), attention);
  return feed_forward(x + linear(mixed, block.out), block, config);
}

// Of the first block, the states of the image's rows `x`, which see themselves and `prompt`: both
// after ln_pre. Apart, so that the rows of an image, on which nothing learned has a bearing before
// attention, have no gradient there.
Tensor first_rows(const Tensor& x, const Tensor& prompt, const BlockWeights& block,
                  const ClipConfig& config, const Attention& attention) {
  const std::int64_t d = config.vision.width;
  const auto normed = [&](const Tensor& rows) {
    return layer_norm(rows, block.ln_1, config.layer_norm_eps);
  };
  const Tensor qkv = linear(normed(x), block.qkv);
  const Tensor prompt_kv = linear(normed(prompt), outputs_of(block.qkv, d, 2 * d));
  const Tensor kv = at::cat({qkv.narrow(2, d, 2 * d), per_image(prompt_kv, x.size(0))}, 1);
  const Tensor mixed = attend(qkv.narrow(2, 0, d), kv, attention);
  return feed_forward(x + linear(mixed, block.out), block, config);
}

}  // namespace

Tensor vision_block(const Tensor& x, const BlockWeights& block, const ClipConfig& config,
                    const Tensor& mask) {
  return all_rows(x, block, config, {config, mask});
}

VisionFeatures encode_images(const VisionTower& tower, const Tensor& images,
                             const VisionOptions& options) {
  check(tower, images, options);
  const ClipConfig& config = tower.config;
  const VisionWeights& w = tower.weights;
  const Tensor pixels = images.to(w.patch.device());
  const Attention attention(config, options, pixels.device());
  if (options.read_only) {
    return encode_read_only(tower, pixels, options.prompts.front().rows, attention);
  }
  const auto normed = [&](const Tensor& rows) {
    return layer_norm(rows, w.ln_pre, config.layer_norm_eps);
  };
  Tensor x = normed(embed(tower, pixels));
  const std::vector<VisualPrompt>& prompts = options.prompts;
  auto prompt = prompts.begin();
  std::int64_t first_block = 0;
  if (attention.in_place && replaces_first_rows(options)) {
    x = first_rows(x, normed(prompt->rows), w.blocks.front(), config, attention);
    x = at::cat({x, per_image(prompts[1].rows, x.size(0))}, 1);
    prompt += 2;
    first_block = 1;
  } else if (prompt != prompts.end() && prompt->block == 0) {
    x = at::cat({x, per_image(normed(prompt++->rows), x.size(0))}, 1);
  }
  for (std::int64_t b = first_block; b < config.vision.layers; ++b) {
    // Rows that the block after this one replaces are seen here and computed no further.
    const bool replaced = prompt != prompts.end() && prompt->block == b + 1;
    const std::int64_t added = replaced ? prompt->rows.size(-2) : 0;
    if (added >= x.size(1)) {
      fail("encode_images",
           fmt::format("a prompt of {} rows cannot replace rows of {}", added, x.size(1)));
    }
    if (b == config.vision.layers - 1) break;
    const BlockWeights& block = w.blocks[static_cast<std::size_t>(b)];
    if (!replaced) {
      x = all_rows(x, block, config, attention);
      continue;
    }
    x = leading_rows(x, block, config, attention, x.size(1) - added);
    x = at::cat({x, per_image(prompt++->rows, x.size(0))}, 1);
  }
  return last_block(tower, x, options, attention);
}

}  // namespace openworld
