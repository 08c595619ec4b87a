#include "lessons/18_both_sides/models.h"

namespace gradwalk::lesson_18 {

const char* name(Without what) {
  switch (what) {
    case Without::kNothing:
      return "as it is";
    case Without::kQuestion:
      return "answers drawn";
    case Without::kNumbers:
      return "asked for nouns";
    case Without::kOwnKeys:
      return "one key for all";
    case Without::kScores:
      return "even weights";
    case Without::kCompetition:
      return "sigmoid";
    case Without::kPositiveness:
      return "linear";
  }
  return "";
}

tasks::NumberTraining training_without(Without what, std::int64_t updates) {
  tasks::NumberTraining training;
  training.updates = static_cast<int>(updates);
  switch (what) {
    case Without::kNothing:
      break;
    case Without::kQuestion:
      training.task.question = tasks::NumberQuestion::kNothing;
      break;
    case Without::kNumbers:
      training.task.question = tasks::NumberQuestion::kNounMax;
      break;
    case Without::kOwnKeys:
      training.model.one_key = training.task.numbers;
      break;
    case Without::kScores:
      training.model.weighting = tasks::Weighting::kUniform;
      break;
    case Without::kCompetition:
      training.model.weighting = tasks::Weighting::kSigmoid;
      break;
    case Without::kPositiveness:
      training.model.weighting = tasks::Weighting::kLinear;
  }
  return training;
}

std::vector<Movers> all_movers() {
  return {{true, true, true},  {true, false, true},  {true, true, false},  {true, false, false},
          {false, true, true}, {false, false, true}, {false, true, false}, {false, false, false}};
}

std::string name(const Movers& movers) {
  std::string parts;
  const auto add = [&](bool moves, const char* part) {
    if (moves) parts += parts.empty() ? part : std::string(" ") + part;
  };
  add(movers.table, "e");
  add(movers.query, "W_Q");
  add(movers.key, "W_K");
  return parts.empty() ? "none" : parts;
}

tasks::NumberTraining training_of(const Movers& movers, std::int64_t updates) {
  tasks::NumberTraining training = training_without(Without::kNothing, updates);
  training.move_embedding = movers.table;
  training.move_query = movers.query;
  training.move_key = movers.key;
  return training;
}

tasks::NumberTraining training_with_heads(std::int64_t heads, std::int64_t updates) {
  tasks::NumberTraining training = training_without(Without::kNothing, updates);
  training.model.heads = heads;
  training.model.head_dim = training.model.d_model / heads;
  return training;
}

}  // namespace gradwalk::lesson_18
