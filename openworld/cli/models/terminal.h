#pragma once

// What the commands that run a model show on a terminal, and their entry points.

#include <string>

#include "openworld/cli/model_library.h"
#include "openworld/tuning/observer.h"

namespace openworld {

void run_encode(const EncodeCommand& command);
void run_zeroshot(const ZeroShotCommand& command);
void run_pretrain(const PretrainFlags& flags);
void run_tune(const TuneCommand& command);
void run_osr_train(const OsrTrainCommand& command);
void run_osr_eval(const OsrEvalCommand& command);
void run_osr_score(const OsrScoreCommand& command);
void list_osr(const OsrListCommand& command);
void run_predict(const PredictCommand& command);
SampleScores predicted_scores(const PredictCommand& command);
void run_openset(const OpenSetFlags& flags);
void doctor_features(const DoctorFeatures& request);
void list_learners(const LearnerListCommand& command);
std::unique_ptr<CellRunner> make_cell_runner();

// A line on stderr for whoever watches.
void say(const std::string& line);

// Shows messages and progress on stderr.
Observer terminal_observer();

// "12 s", "3 min", "2 h 5 min".
std::string duration(double seconds);

// "1 image", "2 images".
std::string counted(std::size_t count, std::string_view what);

}  // namespace openworld
