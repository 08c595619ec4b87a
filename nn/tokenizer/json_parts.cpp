#include "nn/tokenizer/json_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "nn/files/utf8.h"

namespace gradwalk::nn::tokenizer_json {
namespace {

std::string type_of(const Json& part, const std::string& where) {
  return text(part, "type", where);
}

// The members of a Sequence under `key`, or the part alone. A Sequence in a Sequence is left to the
// caller to refuse.
std::vector<const Json*> steps_of(const Json& part, const std::string& key,
                                  const std::string& where) {
  if (type_of(part, where) != "Sequence") return {&part};
  const Json& list = member(part, key, where);
  if (!list.is_array()) fail(where + "." + key, "expected a list");
  std::vector<const Json*> steps;
  for (const Json& step : list) steps.push_back(&step);
  return steps;
}

Replace read_replace(const Json& part, const std::string& where) {
  const Json& pattern = member(part, "pattern", where);
  if (!pattern.is_object() || !pattern.contains("String"))
    unsupported(where + " Replace with a pattern that is no String");
  Replace replace{text(pattern, "String", where + ".pattern"), text(part, "content", where)};
  if (replace.from.empty()) fail(where, "expected Replace to have a pattern that is not empty");
  return replace;
}

// Replacements may multiply a text's length by one another's factors; this keeps a small file from
// asking for all memory.
class Growth {
 public:
  void add(const Replace& replace, const std::string& where) {
    constexpr std::size_t kMost = 64;
    factor_ *= std::max<std::size_t>(
        1, (replace.to.size() + replace.from.size() - 1) / replace.from.size());
    if (factor_ > kMost)
      unsupported(fmt::format("{}: a text that may grow more than {}-fold", where, kMost));
  }

 private:
  std::size_t factor_ = 1;
};

}  // namespace

std::vector<Normalizer> read_normalizers(const Json& whole) {
  const std::string where = "normalizer";
  std::vector<Normalizer> steps;
  if (!has(whole, where)) return steps;
  Growth growth;
  for (const Json* step : steps_of(whole.at(where), "normalizers", where)) {
    const Json& part = *step;
    const std::string type = type_of(part, where);
    if (type == "Prepend") {
      steps.emplace_back(Prepend{text(part, "prepend", where)});
    } else if (type == "Replace") {
      const Replace replace = read_replace(part, where);
      growth.add(replace, where);
      steps.emplace_back(replace);
    } else if (type == "BertNormalizer") {
      const bool lower_case = flag(part, "lowercase", true, where);
      steps.emplace_back(
          BertNormalizer{.clean_text = flag(part, "clean_text", true, where),
                         .ideographs = flag(part, "handle_chinese_chars", true, where),
                         .strip_accents = flag(part, "strip_accents", lower_case, where),
                         .lower_case = lower_case});
    } else {
      unsupported(where + " " + type);
    }
  }
  return steps;
}

PreTokenizer read_pre_tokenizer(const Json& whole) {
  const std::string where = "pre_tokenizer";
  if (!has(whole, where)) return PreTokenizer::kNone;
  const std::string type = type_of(whole.at(where), where);
  if (type == "Whitespace") return PreTokenizer::kWhitespace;
  if (type == "BertPreTokenizer") return PreTokenizer::kBert;
  unsupported(where + " " + type);
}

Decoder read_decoder(const Json& whole) {
  const std::string where = "decoder";
  Decoder decoder;
  if (!has(whole, where)) {
    decoder.separator = " ";
    return decoder;
  }
  const std::vector<const Json*> steps = steps_of(whole.at(where), "decoders", where);
  // Streaming takes the tokens one by one, so what works on a token comes before what works on the
  // whole text.
  enum Stage { kReplace, kByteFallback, kFuse, kStrip };
  Stage stage = kReplace;
  Growth growth;
  for (const Json* step : steps) {
    const Json& part = *step;
    const std::string type = type_of(part, where);
    const auto enter = [&](Stage least, Stage most, Stage next) {
      if (stage < least || stage > most)
        unsupported(fmt::format("{} {} at this place of the Sequence", where, type));
      stage = next;
    };
    if (type == "Replace") {
      enter(kReplace, kReplace, kReplace);
      decoder.replacements.push_back(read_replace(part, where));
      growth.add(decoder.replacements.back(), where);
    } else if (type == "ByteFallback") {
      enter(kReplace, kReplace, kByteFallback);
      decoder.byte_fallback = true;
    } else if (type == "Fuse") {
      enter(kReplace, kByteFallback, kFuse);
    } else if (type == "Strip") {
      enter(kFuse, kFuse, kStrip);
      decoder.stripped = text(part, "content", where);
      if (decoder.stripped.empty() ||
          utf8_step(decoder.stripped, 0).length != decoder.stripped.size()) {
        fail(where, "expected Strip to have a content of one character");
      }
      const std::int64_t start = integer(part, "start", where);
      if (start < 0) fail(where, "expected Strip to have a start >= 0");
      if (integer(part, "stop", where) != 0) unsupported(where + " Strip at the end");
      decoder.strip = Decoder::Strip::kAtStart;
      decoder.strip_count = static_cast<std::size_t>(start);
    } else if (type == "WordPiece" && steps.size() == 1) {
      decoder.separator = " ";
      decoder.continuation = text(part, "prefix", where);
      decoder.clean_up = flag(part, "cleanup", true, where);
    } else {
      unsupported(where + " " + type);
    }
  }
  return decoder;
}

void read_post_processor(const Json& whole, TokenizerParts& parts) {
  if (!has(whole, "post_processor")) return;
  const Json& processor = whole.at("post_processor");
  const std::string type = type_of(processor, "post_processor");
  if (type != "TemplateProcessing") unsupported("post_processor " + type);
  const std::string where = "post_processor.single";
  const Json& pieces = member(processor, "single", "post_processor");
  if (!pieces.is_array()) fail(where, "expected a list");
  bool text_seen = false;
  for (const Json& piece : pieces) {
    if (!piece.is_object() || piece.size() != 1)
      fail(where, "expected a SpecialToken or a Sequence");
    const std::string kind = piece.begin().key();
    const Json& value = piece.begin().value();
    if (integer(value, "type_id", where) != 0) unsupported(where + " with a type_id that is not 0");
    const std::string id = text(value, "id", where);
    if (kind == "Sequence" && id == "A" && !text_seen) {
      text_seen = true;
    } else if (kind == "SpecialToken") {
      const std::string list = "post_processor.special_tokens";
      const Json& ids = member(
          member(member(processor, "special_tokens", "post_processor"), id, list), "ids", list);
      if (!ids.is_array()) fail(list, "expected a list of ids");
      for (const Json& number : ids) {
        const std::int64_t token = number.is_number_integer() ? number.get<std::int64_t>() : -1;
        if (token < 0 || token >= parts.vocabulary->size()) {
          fail(list, fmt::format("expected ids in [0, {})", parts.vocabulary->size()));
        }
        (text_seen ? parts.after : parts.before).push_back(token);
      }
    } else {
      fail(where, "expected SpecialTokens around one Sequence A");
    }
  }
  if (!text_seen) fail(where, "expected a Sequence A");
}

}  // namespace gradwalk::nn::tokenizer_json
