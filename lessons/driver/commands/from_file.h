#pragma once

#include <stdexcept>

#include "lessons/course/engine/ledger.h"

namespace gradwalk::commands {

/// What `read` gives; a file that cannot be read or does not fit is the user's to mend.
/// @throws course::InputError where `read` throws a std::runtime_error
template <class Read>
auto from_file(Read read) {
  try {
    return read();
  } catch (const std::runtime_error& error) {
    throw course::InputError(error.what());
  }
}

}  // namespace gradwalk::commands
