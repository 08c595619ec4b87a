#include "lessons/course/json/claim.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lessons/course/json/numbers.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

Json truth_to_json(const std::optional<Truth>& truth) {
  if (!truth || *truth == Truth::kUnclear) return nullptr;
  return *truth == Truth::kYes;
}

std::optional<Truth> truth_from(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return truth(value.get<bool>());
}

Json optional_number(const std::optional<double>& value) {
  return value ? number_to_json(*value) : Json(nullptr);
}

Verdict verdict_from(const Json& value) {
  const auto verdict = verdict_named(value.get<std::string>());
  if (!verdict)
    throw std::runtime_error(fmt::format("'{}' is no verdict", value.get<std::string>()));
  return *verdict;
}

Evidence evidence_from(const Json& value) {
  const auto text = value.get<std::string>();
  for (const Evidence one :
       {Evidence::kTensor, Evidence::kCounted, Evidence::kClock, Evidence::kDerived}) {
    if (text == name(one)) return one;
  }
  throw std::runtime_error(fmt::format("'{}' is no kind of evidence", text));
}

}  // namespace

Json to_json(const Environment& environment) {
  return {{"version", environment.version}, {"compiler", environment.compiler},
          {"flags", environment.flags},     {"cpu", environment.cpu},
          {"threads", environment.threads}, {"build_id", environment.build_id},
          {"simd", environment.simd}};
}

Environment environment_from_json(const Json& object) {
  Environment environment;
  environment.version = object.at("version").get<std::string>();
  environment.compiler = object.at("compiler").get<std::string>();
  environment.flags = object.at("flags").get<std::string>();
  environment.cpu = object.at("cpu").get<std::string>();
  environment.threads = object.at("threads").get<int>();
  environment.build_id = object.at("build_id").get<std::string>();
  environment.simd = object.at("simd").get<std::string>();
  return environment;
}

Json to_json(const LedgerRecord& record) {
  const ClaimRecord& claim = record.claim;
  Json object;
  object["id"] = claim.id;
  object["article"] = record.article;
  object["section"] = record.section;
  object["lesson"] = record.lesson;
  object["statement"] = record.statement;
  object["verdict"] = name(claim.verdict);
  object["expected_verdict"] = name(claim.expected_verdict);
  object["as_stated"] = truth_to_json(claim.as_stated);
  object["right"] = truth_to_json(claim.right);
  object["control"] = {{"name", claim.control.name},
                       {"flipped", claim.control.ran ? Json(claim.control.flipped) : Json(nullptr)},
                       {"found", claim.control.found}};
  object["value"] = optional_number(claim.value);
  object["interval"] = nullptr;
  if (claim.interval_low && claim.interval_high) {
    object["interval"] = {number_to_json(*claim.interval_low),
                          number_to_json(*claim.interval_high)};
  }
  object["found"] = claim.found;
  object["expected"] = claim.expected;
  object["tolerance"] = claim.tolerance;
  object["evidence"] = name(claim.evidence);
  object["cases"] = claim.cases;
  object["mode"] = record.mode;
  object["seed"] = record.seed;
  object["seeds"] = claim.seeds;
  object["seconds"] = claim.seconds;
  object["repeat"] = record.repeat;
  if (!claim.skip_reason.empty()) object["skipped"] = claim.skip_reason;
  object["environment"] = to_json(record.environment);
  return object;
}

LedgerRecord ledger_record_from(const Json& object) {
  LedgerRecord record;
  ClaimRecord& claim = record.claim;
  claim.id = object.at("id").get<std::string>();
  record.article = object.at("article").get<std::string>();
  record.section = object.at("section").get<std::string>();
  record.lesson = object.at("lesson").get<int>();
  record.statement = object.at("statement").get<std::string>();
  claim.verdict = verdict_from(object.at("verdict"));
  claim.expected_verdict = verdict_from(object.at("expected_verdict"));
  claim.as_stated = truth_from(object.at("as_stated"));
  claim.right = truth_from(object.at("right"));
  const Json& control = object.at("control");
  claim.control.name = control.at("name").get<std::string>();
  claim.control.ran = !control.at("flipped").is_null();
  claim.control.flipped = claim.control.ran && control.at("flipped").get<bool>();
  claim.control.found = control.at("found").get<std::string>();
  if (!object.at("value").is_null()) claim.value = number_from_json(object.at("value"));
  if (!object.at("interval").is_null()) {
    claim.interval_low = number_from_json(object.at("interval").at(0));
    claim.interval_high = number_from_json(object.at("interval").at(1));
  }
  claim.found = object.at("found").get<std::string>();
  claim.expected = object.at("expected").get<std::string>();
  claim.tolerance = object.at("tolerance").get<std::string>();
  claim.evidence = evidence_from(object.at("evidence"));
  claim.cases = object.at("cases").get<std::int64_t>();
  record.mode = object.at("mode").get<std::string>();
  record.seed = object.at("seed").get<std::uint64_t>();
  claim.seeds = object.at("seeds").get<int>();
  claim.seconds = number_from_json(object.at("seconds"));
  record.repeat = object.at("repeat").get<std::string>();
  claim.skip_reason = object.value("skipped", "");
  record.environment = environment_from_json(object.at("environment"));
  return record;
}

}  // namespace gradwalk::course
