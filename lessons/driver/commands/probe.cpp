#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/engine/work_watch.h"
#include "lessons/course/text/parse.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/driver/commands/from_file.h"
#include "lessons/driver/probe/page.h"
#include "lessons/driver/run/context.h"
#include "lessons/driver/run/option_values.h"
#include "nn/tokenizer/tokenizer.h"
#include "tensor/threads.h"

namespace gradwalk::commands {
namespace {

namespace fs = std::filesystem;
using course::Exit;
using course::InputError;
using probe::Ids;

// Past it the file was read as another model than its source: a share of the largest number. Right
// readings of the stored models differ by 3e-7 to 6e-7 of it, by rounding.
constexpr double kMostDifference = 1e-5;
// Of a text: all that attention makes of it is kept, [T, T] for each head.
constexpr std::size_t kMostTokens = 1024;

const std::vector<OptionSpec>& probe_option_specs() {
  static const std::vector<OptionSpec> all = with_look_options({
      {"tokens", "FILE|N,N,...", "texts as token ids, one a line; or the ids of one"},
      {"prompt", "TEXT", "one text, by the tokenizer beside the weights"},
      {"classes", "FILE", "tokens that belong together, a line each: \"number: 1 2 5-16\""},
      {"expect", "FILE",
       "logits (last_hidden_state, cls) of the source model, and ids, to compare"},
      {"config", "FILE", "the config.json, if it is not beside the weights"},
      {"threads", "T", "threads; results do not depend on T"},
  });
  return all;
}

// A list of ids and not a file's name.
bool are_ids(const std::string& text) {
  return text.find_first_not_of("0123456789, ") == std::string::npos;
}

class Probing {
 public:
  Probing(const course::Console& console, const Arguments& arguments)
      : console_(console),
        arguments_(arguments),
        display_(display_from(arguments, console, console.out_is_terminal)) {
    for (const std::string& file : arguments.rest()) files_.emplace_back(file);
    if (files_.empty()) throw UsageError("expected a FILE or a folder of a model, got none");
    if (arguments.has("tokens") && arguments.has("prompt")) {
      throw UsageError("--tokens and --prompt exclude each other");
    }
    const bool texts = arguments.has("tokens") || arguments.has("prompt");
    if (arguments.has("classes") && !texts && !arguments.has("expect")) {
      throw UsageError("--classes needs texts: --tokens, --prompt or --expect with ids");
    }
    if (files_.size() == 1) return;
    if (!arguments.has("classes") || !texts) {
      throw UsageError(
          "several files are compared by how their query turns to a class of tokens: give --tokens "
          "and --classes");
    }
    if (arguments.has("expect")) throw UsageError("--expect: expected one FILE, got several");
    if (arguments.has("config")) throw UsageError("--config: expected one FILE, got several");
  }

  Exit go() { return files_.size() == 1 ? probe_one() : compare_several(); }

 private:
  void print(const course::Lines& lines) const { console_.out(course::paint(lines, display_)); }

  probe::Checkpoint open(const fs::path& file) const {
    return from_file([&] { return probe::Checkpoint(file, arguments_.value("config")); });
  }

  Exit probe_one() {
    const probe::Checkpoint model = open(files_[0]);
    print(draw_reading(model.reading(), display_.width));
    std::optional<probe::Expected> expected;
    if (arguments_.has("expect")) {
      expected = from_file(
          [&] { return probe::read_expected(arguments_.value("expect"), model.is_causal()); });
    }
    const std::vector<Ids> texts = texts_for(model, expected);
    const std::vector<probe::TokenClass> classes = classes_for(model);
    if (!compare(model, texts, expected)) return Exit::kInput;
    if (texts.empty()) {
      print(draw_weights(measure_weights(model), display_.width));
      return Exit::kOk;
    }
    show_texts(texts);
    course::WorkWatch watch(console_);
    const probe::Measures measures =
        measure(model, texts, classes,
                [&](std::int64_t done, std::int64_t total) { watch("probe", done, total); });
    watch.clear();
    print(draw_measures(model, measures, classes, display_.width));
    return Exit::kOk;
  }

  // Prints how far the model is from its source. False if it is another one.
  bool compare(const probe::Checkpoint& model, const std::vector<Ids>& texts,
               const std::optional<probe::Expected>& expected) const {
    if (!expected) {
      print(probe::draw_comparison(std::nullopt, "", display_.width));
      return true;
    }
    const probe::Comparison comparison =
        from_file([&] { return probe::compare(model, texts, *expected); });
    print(probe::draw_comparison(comparison, expected->name, display_.width));
    if (comparison.largest <= kMostDifference * comparison.size) return true;
    console_.err(fmt::format(
        "probe: expected {} within {} of the largest, got a difference of {:.2g}: the weights, or "
        "what they were taken for, are not those of the source model; {}\n",
        expected->name, kMostDifference, comparison.largest, arguments_.value("expect")));
    return false;
  }

  Exit compare_several() {
    std::vector<probe::Aligned> checkpoints;
    std::vector<probe::TokenClass> classes;
    for (const fs::path& file : files_) {
      const probe::Checkpoint model = open(file);
      print(draw_reading(model.reading(), display_.width));
      print(probe::draw_comparison(std::nullopt, "", display_.width));
      classes = classes_for(model);
      const std::vector<Ids> texts = texts_for(model, std::nullopt);
      if (checkpoints.empty()) show_texts(texts);
      probe::Aligned one{file.filename().empty() ? file.parent_path().string() : file.string(),
                         match_classes(model, texts, classes)};
      if (!checkpoints.empty() && !same_heads(one, checkpoints[0])) {
        throw InputError(
            fmt::format("probe: expected checkpoints of one model, got other layers or "
                        "heads in {}",
                        file.string()));
      }
      checkpoints.push_back(std::move(one));
    }
    print(draw_alignment(checkpoints, classes, display_));
    return Exit::kOk;
  }

  static bool same_heads(const probe::Aligned& a, const probe::Aligned& b) {
    return a.matches.size() == b.matches.size() &&
           a.matches.front().size() == b.matches.front().size();
  }

  std::vector<probe::TokenClass> classes_for(const probe::Checkpoint& model) const {
    if (!arguments_.has("classes")) return {};
    return from_file(
        [&] { return probe::read_classes(arguments_.value("classes"), model.vocabulary()); });
  }

  // The texts that were given, else those of --expect, else none.
  std::vector<Ids> texts_for(const probe::Checkpoint& model,
                             const std::optional<probe::Expected>& expected) const {
    const bool in_expected = expected && !expected->texts.empty();
    if (in_expected && (arguments_.has("tokens") || arguments_.has("prompt"))) {
      throw UsageError("--expect: the file has ids of its own; leave out --tokens and --prompt");
    }
    if (in_expected) return fitting(expected->texts, model, expected->path.string());
    if (arguments_.has("prompt")) {
      return fitting({encoded(model.reading().weights)}, model, "--prompt");
    }
    if (arguments_.has("tokens")) {
      const std::string given = arguments_.value("tokens");
      if (are_ids(given)) return fitting({ids_in(given)}, model, "--tokens");
      return fitting(from_file([&] { return probe::read_texts(given); }), model, given);
    }
    if (expected) throw UsageError("--expect: the file has no ids; give the texts by --tokens");
    return {};
  }

  static Ids ids_in(const std::string& text) {
    try {
      return probe::parse_ids(text);
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--tokens: {}", error.what()));
    }
  }

  Ids encoded(const fs::path& weights) const {
    const fs::path folder = weights.parent_path().empty() ? "." : weights.parent_path();
    if (!from_file([&] { return nn::find_tokenizer(folder); })) {
      throw UsageError(fmt::format("--prompt: there is no tokenizer in {}; give ids by --tokens",
                                   folder.string()));
    }
    try {
      return from_file([&] { return nn::load_tokenizer(folder); })
          .encode(arguments_.value("prompt"));
    } catch (const std::out_of_range& error) {
      throw UsageError(fmt::format("--prompt: {}", error.what()));
    }
  }

  // The texts, if the model can read them.
  // @param source  an option, or the name of a file
  static std::vector<Ids> fitting(std::vector<Ids> texts, const probe::Checkpoint& model,
                                  const std::string& source) {
    const auto refuse = [&](const std::string& expected, const std::string& got) {
      const std::string text = fmt::format("{}: expected {}, got {}", source, expected, got);
      if (source.starts_with("--")) throw UsageError(text);
      throw InputError(text);
    };
    const auto most = static_cast<std::size_t>(
        model.positions().value_or(static_cast<std::int64_t>(kMostTokens)));
    for (const Ids& text : texts) {
      if (text.empty()) refuse("at least one token", "none");
      const auto [least, largest] = std::minmax_element(text.begin(), text.end());
      if (*least < 0 || *largest >= model.vocabulary()) {
        refuse(fmt::format("ids from 0 to {}, the model's tokens", model.vocabulary() - 1),
               fmt::format("{}", *least < 0 ? *least : *largest));
      }
      if (text.size() > std::min(most, kMostTokens)) {
        refuse(most <= kMostTokens && model.positions()
                   ? fmt::format("texts of at most {} tokens, the model's places", most)
                   : fmt::format("texts of at most {} tokens", kMostTokens),
               fmt::format("one of {}", text.size()));
      }
    }
    return texts;
  }

  void show_texts(const std::vector<Ids>& texts) const {
    std::size_t tokens = 0, longest = 0;
    for (const Ids& text : texts) {
      tokens += text.size();
      longest = std::max(longest, text.size());
    }
    print({course::Line(course::pad_right("texts", 10), course::styles::kLabel)
               .add(fmt::format("{} of {} tokens together, the longest of {}", texts.size(), tokens,
                                longest))});
  }

  const course::Console& console_;
  const Arguments& arguments_;
  course::Display display_;
  std::vector<fs::path> files_;
};

}  // namespace

Exit probe(const Context& context, const std::vector<std::string>& words) {
  const Arguments arguments("probe", probe_option_specs(), words);
  const course::Console& console = context.console;
  if (arguments.has("help")) {
    const course::Display display = display_from(arguments, console, console.out_is_terminal);
    console.out(course::launcher_command("probe FILE [MORE...] [OPTIONS]") +
                ": what a checkpoint was read as, and what its heads do\n");
    console.out(course::paint(option_help(probe_option_specs(), display.width), display));
    console.out(
        "FILE is a folder with config.json and model.safetensors, its .safetensors, or a\n"
        ".bin file of llama2.c. Several are checkpoints of one model, in order.\n");
    return Exit::kOk;
  }
  apply_threads(arguments, num_threads());
  try {
    return Probing(console, arguments).go();
  } catch (const probe::NonfiniteError& error) {
    console.err(fmt::format("{}\n", error.what()));
    return Exit::kNonfinite;
  } catch (const course::Interrupted&) {
    return console.interrupted() == 15 ? Exit::kTerminated : Exit::kInterrupted;
  }
}

}  // namespace gradwalk::commands
