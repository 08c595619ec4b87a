#include "lessons/course/json/record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lessons/course/json/claim.h"
#include "lessons/course/json/document.h"
#include "lessons/course/json/numbers.h"
#include "lessons/course/json/step.h"
#include "lessons/course/text/file_content.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

Json run_to_json(const RunRecord& run) {
  Json set = Json::object();
  for (const auto& [name, value] : run.set) set[name] = number_to_json(value);
  return {{"lesson", run.lesson},
          {"title", run.title},
          {"seed", run.seed},
          {"mode", run.quick ? "quick" : "full"},
          {"set", set},
          {"breaks", run.breaks},
          {"complete", run.complete},
          {"seconds", run.seconds}};
}

// The entries of "claims" and "steps" that no run has taken yet.
class Reader {
 public:
  explicit Reader(const Json& document)
      : claims_(document.at("claims")), steps_(document.at("steps")) {}

  RunRecord run(const Json& object) {
    RunRecord run;
    where_ = fmt::format("run {}", ++runs_);
    run.lesson = object.at("lesson").get<int>();
    run.title = object.at("title").get<std::string>();
    run.seed = object.at("seed").get<std::uint64_t>();
    run.quick = object.at("mode").get<std::string>() == "quick";
    for (const auto& [name, value] : object.at("set").items()) {
      run.set.emplace_back(name, number_from_json(value));
    }
    run.breaks = object.at("breaks").get<std::vector<std::string>>();
    run.complete = object.at("complete").get<bool>();
    run.seconds = number_from_json(object.at("seconds"));
    const auto claims = claims_of_run(object.at("claims").get<std::size_t>());
    const auto count = object.at("steps").get<std::size_t>();
    for (std::size_t i = 0; i < count; ++i) add_step(run, claims);
    return run;
  }

  const std::string& where() const { return where_; }

 private:
  using Claims = std::map<std::string, ClaimRecord>;

  static const Json& next(const Json& array, std::size_t& at) {
    if (at == array.size()) throw std::runtime_error("fewer entries than \"runs\" says");
    return array[at++];
  }

  Claims claims_of_run(std::size_t count) {
    Claims claims;
    for (std::size_t i = 0; i < count; ++i) {
      where_ = fmt::format("claim {}", next_claim_ + 1);
      ClaimRecord claim = ledger_record_from(next(claims_, next_claim_)).claim;
      claims.insert_or_assign(claim.id, std::move(claim));
    }
    return claims;
  }

  void add_step(RunRecord& run, const Claims& claims) {
    where_ = fmt::format("step {}", next_step_ + 1);
    const Json& object = next(steps_, next_step_);
    StepRecord step = step_from_json(object);
    for (ClaimRecord& claim : step.claims) claim = claims.at(claim.id);
    const auto number = object.at("step").get<std::size_t>();
    constexpr std::size_t kMost = 1000;
    if (number <= run.steps.size() || number > kMost) {
      throw std::runtime_error(fmt::format("step {} is out of order", number));
    }
    while (run.steps.size() + 1 < number) {
      StepRecord skipped;
      skipped.skipped = true;
      run.steps.push_back(std::make_shared<const StepRecord>(std::move(skipped)));
    }
    if (step.prediction && !object.at("prediction").at("guess").is_null()) {
      const auto guess = object.at("prediction").at("guess").get<std::size_t>();
      if (guess >= step.prediction->choices.size()) {
        throw std::runtime_error(fmt::format("there is no choice {}", guess));
      }
      run.guesses.emplace(number - 1, guess);
    }
    run.steps.push_back(std::make_shared<const StepRecord>(std::move(step)));
  }

  const Json& claims_;
  const Json& steps_;
  std::string where_ = "the file";
  std::size_t runs_ = 0, next_claim_ = 0, next_step_ = 0;
};

}  // namespace

std::string run_json(const SavedRuns& saved, const Catalogue& catalogue) {
  Json document = {{"schema", kSchema},
                   {"complete", saved.complete},
                   {"environment", to_json(saved.environment)},
                   {"asked", saved.asked},
                   {"runs", Json::array()},
                   {"claims", Json::array()},
                   {"steps", Json::array()}};
  for (const RunRecord& run : saved.runs) {
    Json object = run_to_json(run);
    const std::vector<LedgerRecord> claims = ledger_records(run, catalogue, saved.environment);
    for (const LedgerRecord& record : claims) document["claims"].push_back(to_json(record));
    std::size_t steps = 0;
    for (std::size_t at = 0; at < run.steps.size(); ++at) {
      if (run.steps[at]->skipped) continue;
      document["steps"].push_back(step_to_json(run, at));
      ++steps;
    }
    object["claims"] = claims.size();
    object["steps"] = steps;
    document["runs"].push_back(std::move(object));
  }
  return document.dump(2) + "\n";
}

SavedRuns parse_run_json(std::string_view text) {
  SavedRuns saved;
  std::string where = "the file";
  try {
    const Json document = parse_document(text);
    saved.complete = document.at("complete").get<bool>();
    saved.environment = environment_from_json(document.at("environment"));
    saved.asked = document.at("asked").get<std::map<std::string, std::string>>();
    Reader reader(document);
    try {
      for (const Json& object : document.at("runs")) saved.runs.push_back(reader.run(object));
    } catch (const std::exception&) {
      where = reader.where();
      throw;
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", where, json_reason(error)));
  }
  return saved;
}

SavedRuns read_run_json(const std::filesystem::path& path) {
  try {
    return parse_run_json(file_content(path));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace gradwalk::course
