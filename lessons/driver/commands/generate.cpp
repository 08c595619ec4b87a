#include "nn/generate.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/text/parse.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/driver/commands/from_file.h"
#include "lessons/driver/commands/generate_options.h"
#include "lessons/driver/commands/generate_stats.h"
#include "nn/checkpoint/load_model.h"
#include "nn/tokenizer/tokenizer.h"

namespace gradwalk::commands {
namespace {

using course::Exit;
using Ids = std::vector<std::int64_t>;

// Seconds from one lap to the next.
class Stopwatch {
 public:
  double lap() {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> seconds = now - start_;
    start_ = now;
    return seconds.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

class Generation {
 public:
  Generation(const course::Console& console, GenerateRequest request)
      : console_(console), request_(std::move(request)) {}

  Exit go() {
    model_ = from_file([&] { return nn::load_model(request_.model); });
    load_tokenizer();
    const Ids prompt = request_.ids.empty() ? encoded_prompt() : request_.ids;
    check(prompt);
    if (request_.options.sampling.temperature > 0) {
      console_.err(fmt::format("seed {}\n", request_.options.seed));
    }
    if (request_.ids.empty()) stream_.emplace(*tokenizer_);
    for (const std::int64_t id : prompt) show(id);
    const Exit code = continue_text(prompt);
    if (request_.stats) {
      console_.err(stats_text(*model_, times_, request_.options.use_cache) + "end      " +
                   how_it_ended(prompt.size()) + "\n");
    }
    return code;
  }

 private:
  std::filesystem::path folder() const {
    return std::filesystem::is_directory(request_.model) ? request_.model
                                                         : request_.model.parent_path() / ".";
  }

  // With ids the tokenizer only says where a text stops.
  void load_tokenizer() {
    try {
      if (nn::find_tokenizer(folder())) tokenizer_ = nn::load_tokenizer(folder());
    } catch (const std::runtime_error& error) {
      if (request_.ids.empty()) throw course::InputError(error.what());
      note(fmt::format("no stop token is known; {}", error.what()));
    }
    if (!tokenizer_) return;
    for (const auto& id : {tokenizer_->special().bos, tokenizer_->special().eos}) {
      if (id) request_.options.stop_tokens.push_back(*id);
    }
  }

  Ids encoded_prompt() {
    if (!tokenizer_) {
      throw UsageError(
          fmt::format("--prompt: there is no tokenizer in {}; give token ids: --ids=1,2,3",
                      folder().lexically_normal().string()));
    }
    try {
      Ids ids = tokenizer_->encode(request_.prompt);
      if (ids.empty()) {
        throw UsageError(
            "--prompt: expected a text, for this tokenizer has no token to begin with");
      }
      if (tokenizer_->decode(ids) != request_.prompt) {
        note("the tokenizer cannot write all of the prompt; what the model reads is shown");
      }
      return ids;
    } catch (const std::out_of_range& error) {
      throw UsageError(fmt::format("--prompt: {}", error.what()));
    }
  }

  void check(const Ids& prompt) const {
    const nn::CausalLmOptions& options = model_->options();
    const bool by_ids = !request_.ids.empty();
    for (const std::int64_t id : prompt) {
      if (id < options.vocab_size) continue;
      const std::string text =
          fmt::format("expected ids below {}, the model's tokens, got {}", options.vocab_size, id);
      if (by_ids) throw UsageError("--ids: " + text);
      throw course::InputError(
          fmt::format("the tokenizer does not fit the model: {}; {}", text, folder().string()));
    }
    if (model_->learns_positions() && !request_.options.slide &&
        static_cast<std::int64_t>(prompt.size()) > options.max_positions) {
      throw UsageError(
          fmt::format("{}: expected at most {} tokens, the model's positions, got {}; "
                      "--slide reads the newest ones",
                      by_ids ? "--ids" : "--prompt", options.max_positions, prompt.size()));
    }
  }

  Exit continue_text(const Ids& prompt) {
    Stopwatch watch;
    const auto on_token = [&](std::int64_t id) {
      (made_ == 0 ? times_.prompt_seconds : times_.step_seconds) += watch.lap();
      ++made_;
      show(id);
      watch.lap();
      return console_.interrupted() == 0;
    };
    try {
      nn::generate(*model_, prompt, request_.options, on_token);
    } catch (const std::invalid_argument& error) {  // the options are checked: it is the logits
      end_line();
      console_.err(fmt::format("{}\n", error.what()));
      return Exit::kNonfinite;
    } catch (const std::exception&) {
      end_line();
      throw;
    }
    if (made_ == 0) times_.prompt_seconds = watch.lap();
    times_.prompt = std::ssize(prompt);
    times_.steps = std::max<std::int64_t>(0, made_ - 1);
    end_line();
    note_positions(times_.prompt + made_);
    const int signal = console_.interrupted();
    return signal == 0 ? Exit::kOk : signal == 15 ? Exit::kTerminated : Exit::kInterrupted;
  }

  // The text that is complete with this token, or its id.
  void show(std::int64_t id) {
    if (!stream_) {
      console_.out(fmt::format("{}{}", any_shown_ ? "," : "", id));
      any_shown_ = true;
      return;
    }
    try {
      console_.out(stream_->add(id));
    } catch (const std::out_of_range& error) {
      throw course::InputError(fmt::format("the tokenizer does not fit the model: {}; {}",
                                           error.what(), folder().string()));
    }
  }

  void end_line() { console_.out((stream_ ? stream_->finish() : "") + "\n"); }

  void note(const std::string& text) const { console_.err("note: " + text + "\n"); }

  void note_positions(std::int64_t positions) const {
    const std::int64_t most = model_->options().max_positions;
    if (out_of_positions(positions)) {
      note(fmt::format("the text ends here: the model has {} positions; --slide goes on", most));
    } else if (!model_->learns_positions() && most > 0 && positions > most) {
      note(fmt::format("{} positions, and the model was made for {}", positions, most));
    }
  }

  bool out_of_positions(std::int64_t positions) const {
    return model_->learns_positions() && !request_.options.slide &&
           positions == model_->options().max_positions && made_ < request_.options.steps;
  }

  std::string how_it_ended(std::size_t prompt) const {
    const std::string made = fmt::format("{} of {} new tokens", made_, request_.options.steps);
    if (console_.interrupted() != 0) return made + ": interrupted";
    if (made_ == request_.options.steps) return made;
    if (out_of_positions(static_cast<std::int64_t>(prompt) + made_))
      return made + ": no position left";
    std::string stops;
    for (const std::int64_t id : request_.options.stop_tokens) {
      stops += fmt::format("{}{} ({})", stops.empty() ? "" : " or ",
                           course::trimmed(tokenizer_->token(id)), id);
    }
    return fmt::format("{}: the stop token {}", made, stops);
  }

  const course::Console& console_;
  GenerateRequest request_;
  std::unique_ptr<nn::CausalLm> model_;
  std::optional<nn::Tokenizer> tokenizer_;
  std::optional<nn::TextStream> stream_;  // none: ids are shown
  bool any_shown_ = false;
  std::int64_t made_ = 0;  // new tokens
  GenerateTimes times_;
};

}  // namespace

Exit generate(const Context& context, const std::vector<std::string>& words) {
  GenerateRequest request = parse_generate_options(words);
  if (request.help) {
    const course::Display display =
        course::display_for({}, context.console, context.console.out_is_terminal);
    context.console.out(course::launcher_command("generate MODEL [OPTIONS]") +
                        ": continues a text\n");
    course::Lines lines = option_help(generate_option_specs(), display.width);
    context.console.out(course::paint(lines, display));
    context.console.out(
        "MODEL is a folder with config.json and model.safetensors, or one with a .bin\n"
        "file of llama2.c, or that file.\n");
    return Exit::kOk;
  }
  return Generation(context.console, std::move(request)).go();
}

}  // namespace gradwalk::commands
