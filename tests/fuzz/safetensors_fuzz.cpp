// libFuzzer target: any bytes as a safetensors file. Either every rule holds and every tensor of a
// type that we have is decoded, or there is a std::runtime_error; memory grows with the file alone.
//
// Build, from the top of the checkout with CXX=clang++:
//     cmake -S . -B build/fuzz -G Ninja -DGRADWALK_FUZZ=ON -DGRADWALK_SANITIZE=address,undefined
//     ninja -C build/fuzz safetensors_fuzz
// Run, in a folder for what it finds:
//     safetensors_fuzz -malloc_limit_mb=64 -max_len=4096 -dict=TOP/tests/fuzz/safetensors.dict
//                      NEW_CORPUS TOP/tests/fuzz/corpus/safetensors

#include <cstdint>
#include <span>
#include <stdexcept>

#include "nn/checkpoint/safetensors_header.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gradwalk::nn;
  const std::span file = std::as_bytes(std::span(data, size));
  const Where where{"Safetensors", "fuzz"};
  SafetensorsHeader header;
  try {
    header = parse_safetensors_header(file, where);
  } catch (const std::runtime_error&) {
    return 0;
  }
  std::uint64_t covered = header.tensors.empty() ? size : header.tensors.front().begin;
  for (const SafetensorsEntry& entry : header.tensors) {
    require(entry.begin == covered && entry.end >= entry.begin && entry.end <= size);
    covered = entry.end;
    try {
      const gradwalk::Tensor x = decode_safetensors(entry, file, where);
      require(x.numel() <= static_cast<std::int64_t>(size));
      require(static_cast<std::size_t>(x.ndim()) == entry.shape.size());
      (void)x.to_vector();  // reads every element
    } catch (const std::runtime_error&) {
    }
  }
  require(covered == size);
  return 0;
}
