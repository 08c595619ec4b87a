#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "nn/causal_lm.h"
#include "nn/checkpoint/load_model.h"
#include "nn/encoder.h"

/// A look inside a checkpoint: what was read, and measures of its attention.
namespace gradwalk::probe {

/// Weights or results with a NaN or an infinity in them; no fault of reading.
class NonfiniteError : public std::domain_error {
 public:
  using std::domain_error::domain_error;
};

/// One of W_Q, W_K, W_V, W_O as the file has it, with N for the number of the layer.
struct StoredWeight {
  std::string role;   ///< "q", "k", "v", "o"
  std::string name;   ///< such as "encoder.layer.N.attention.self.query.weight"
  std::string place;  ///< its shape, and the part of it: "[24, 72], columns 0 to 23"
  bool transposed;    ///< stored as [in, out]
};

/// What a file was taken for.
struct Reading {
  std::filesystem::path weights;
  std::string layout;    ///< "bert", "llama2.c", ...
  std::string settings;  ///< what said so: "config.json", "the file's header"
  std::string contents;  ///< "39 tensors, 29152 numbers, F32"
  std::int64_t numbers;  ///< in the file
  std::int64_t taken;    ///< of them by the model
  std::vector<StoredWeight> projections;
  std::string heads;      ///< "2 layers of 4 heads, each 8 wide"
  std::string positions;  ///< "learned, 128"
  std::string mask;       ///< "none: every token sees every token"
  std::string inside;     ///< norms, feed-forward layer, output
};

/// What one text makes of a model.
struct Forward {
  std::vector<nn::AttentionTrace> traces;  ///< one a layer, of batch 1
  std::vector<Tensor> hidden;              ///< [T, D] before each layer and after the last
  Tensor output;  ///< [T, V] logits of a language model, [T, D] of an encoder
};

/// A head whose output is left out.
struct LeftOut {
  std::int64_t layer;
  std::int64_t head;
};

/// A language model or an encoder with its reading. Nothing of it is guessed: what the names, the
/// shapes and the settings leave open is an error that lists the possibilities.
class Checkpoint {
 public:
  /// @param path      as nn::find_checkpoint takes it
  /// @param settings  a config.json that stands elsewhere; empty: beside the weights
  /// @throws std::runtime_error that names the file and the fault; NonfiniteError for weights
  explicit Checkpoint(const std::filesystem::path& path,
                      const std::filesystem::path& settings = {});

  const Reading& reading() const { return reading_; }
  /// Does a token see only those before it? Then the last token asks; else the first, [CLS].
  bool is_causal() const { return std::holds_alternative<LanguageModel>(model_); }
  const nn::MultiHeadAttentionOptions& attention() const;
  std::int64_t layers() const;
  std::int64_t vocabulary() const;
  /// The most tokens a text can have; none where positions are no table.
  std::optional<std::int64_t> positions() const;

  /// @throws NonfiniteError for what the model makes of the text; std::out_of_range for an id or a
  /// length that it has no row for
  Forward run(const std::vector<std::int64_t>& text,
              std::optional<LeftOut> without = std::nullopt) const;

  /// A projection of one layer: role "q", "k", "v" or "o", [out, in].
  Tensor weight(std::int64_t layer, char role) const;

 private:
  using LanguageModel = std::unique_ptr<nn::CausalLm>;
  using TextEncoder = std::unique_ptr<nn::Encoder>;

  const nn::Module& module() const;

  std::variant<LanguageModel, TextEncoder> model_;
  Reading reading_;
};

}  // namespace gradwalk::probe
