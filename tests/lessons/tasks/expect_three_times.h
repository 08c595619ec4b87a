#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nn/module.h"

namespace gradwalk::test {

/// W_Q and W_K are three times those of the other model, and nothing else differs.
inline void expect_three_times(const nn::Module& large, const nn::Module& usual, int of_attention) {
  const nn::StateDict a = large.state_dict(), b = usual.state_dict();
  ASSERT_EQ(a.size(), b.size());
  int scaled = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool query_or_key = a[i].first.find("q_proj") != std::string::npos ||
                              a[i].first.find("k_proj") != std::string::npos;
    scaled += query_or_key ? 1 : 0;
    const std::vector<double> of_a = a[i].second.to_vector(), of_b = b[i].second.to_vector();
    for (std::size_t at = 0; at < of_a.size(); ++at) {
      ASSERT_FLOAT_EQ(static_cast<float>(of_a[at]),
                      static_cast<float>(query_or_key ? 3 * of_b[at] : of_b[at]))
          << a[i].first;
    }
  }
  EXPECT_EQ(scaled, of_attention);
}

}  // namespace gradwalk::test
