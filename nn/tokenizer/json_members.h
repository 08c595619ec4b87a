#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradwalk::nn::tokenizer_json {

/// What all readers of a part of tokenizer.json need: its members, checked as they are read.
/// `where` names the part in messages, such as "model.vocab".

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string& where, const std::string& what);
[[noreturn]] void unsupported(const std::string& what);

/// The member of an object. @throws std::runtime_error if it is no object, or has no such member
const Json& member(const Json& object, const std::string& key, const std::string& where);
std::string text(const Json& object, const std::string& key, const std::string& where);
std::int64_t integer(const Json& object, const std::string& key, const std::string& where);
/// The flag, or `otherwise` where it is absent or null.
bool flag(const Json& object, const std::string& key, bool otherwise, const std::string& where);
/// Whether a member is there and not null.
bool has(const Json& object, const std::string& key);

}  // namespace gradwalk::nn::tokenizer_json
