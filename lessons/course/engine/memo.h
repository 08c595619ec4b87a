#pragma once

#include <functional>
#include <map>

namespace gradwalk::course {

/// Keeps what is costly to make, such as a trained model, so that steps and their controls that
/// need the same make it once a process. The key holds all that the value depends on: seeds too.
template <class Key, class Value>
class Memo {
 public:
  /// Makes it if it is not there yet; what `make` throws passes through, and nothing is kept. The
  /// reference stays valid.
  const Value& operator()(const Key& key, const std::function<Value()>& make) {
    const auto found = values_.find(key);
    return found != values_.end() ? found->second : values_.emplace(key, make()).first->second;
  }

 private:
  std::map<Key, Value> values_;
};

}  // namespace gradwalk::course
