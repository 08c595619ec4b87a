#include "nn/files/read_error.h"

#include <stdexcept>

#include "tensor/error.h"

namespace gradwalk::nn {

void throw_read_error(const Where& where, std::string_view expected, std::string_view got) {
  throw std::runtime_error(error_text(where.op, expected, got) + "; in " + where.file);
}

}  // namespace gradwalk::nn
