#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lessons/course/json/claim.h"
#include "lessons/course/json/document.h"
#include "lessons/course/json/record.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

Json claims_to_json(const std::vector<LedgerRecord>& records) {
  Json claims = Json::array();
  for (const LedgerRecord& record : records) claims.push_back(to_json(record));
  return claims;
}

}  // namespace

std::string claims_json(const std::vector<LedgerRecord>& records) {
  const Json document = {{"schema", kSchema}, {"claims", claims_to_json(records)}};
  return document.dump(2) + "\n";
}

std::string ledger_text(const Ledger& ledger) {
  std::vector<LedgerRecord> records;
  for (const auto& entry : ledger.claims) records.push_back(entry.second);
  Json lessons = Json::array();
  for (const auto& [lesson, time] : ledger.lessons) {
    lessons.push_back({{"lesson", lesson}, {"seconds", time.seconds}, {"mode", time.mode}});
  }
  const Json document = {
      {"schema", kSchema}, {"claims", claims_to_json(records)}, {"lessons", lessons}};
  return document.dump(2) + "\n";
}

Ledger parse_ledger(std::string_view text) {
  Ledger ledger;
  std::string where = "the file";
  try {
    const Json document = parse_document(text);
    std::size_t count = 0;
    for (const Json& object : document.at("claims")) {
      where = fmt::format("claim {} of the file", ++count);
      LedgerRecord record = ledger_record_from(object);
      ledger.claims.insert_or_assign(record.claim.id, std::move(record));
    }
    where = "lessons";
    for (const Json& object : document.value("lessons", Json::array())) {
      ledger.lessons[object.at("lesson").get<int>()] = {object.at("seconds").get<double>(),
                                                        object.at("mode").get<std::string>()};
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", where, json_reason(error)));
  }
  return ledger;
}

}  // namespace gradwalk::course
