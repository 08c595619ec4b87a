#include "lessons/driver/commands/generate_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lessons/course/text/parse.h"
#include "lessons/driver/run/option_values.h"
#include "tensor/threads.h"

namespace gradwalk::commands {
namespace {

constexpr std::int64_t kSteps = 256;

std::vector<std::int64_t> parse_ids(const std::string& text) {
  std::vector<std::int64_t> ids;
  for (const std::string& part : course::split(text, ',')) {
    const auto id = course::parse_whole(part);
    if (!id || *id < 0) {
      throw UsageError(
          fmt::format("--ids: expected whole numbers >= 0 with commas between, got '{}'", part));
    }
    ids.push_back(*id);
  }
  return ids;
}

nn::SamplingOptions parse_sampling(const Arguments& arguments) {
  nn::SamplingOptions sampling;
  sampling.repetition_penalty = number_option(arguments, "repetition-penalty", 1, "a number > 0",
                                              [](double x) { return x > 0; });
  sampling.temperature =
      number_option(arguments, "temperature", 0, "a number >= 0", [](double x) { return x >= 0; });
  sampling.top_k = whole_option(arguments, "top-k", 0);
  sampling.top_p = number_option(arguments, "top-p", 1, "a number from 0 to 1",
                                 [](double x) { return x >= 0 && x <= 1; });
  for (const char* name : {"top-k", "top-p", "seed"}) {
    if (sampling.temperature == 0 && arguments.has(name)) {
      throw UsageError(fmt::format(
          "--{} needs a --temperature above 0: at 0 the most likely token is taken", name));
    }
  }
  return sampling;
}

}  // namespace

const std::vector<OptionSpec>& generate_option_specs() {
  static const std::vector<OptionSpec> specs = {
      {"prompt", "TEXT", "the text to continue (empty)", false, /*may_be_empty=*/true},
      {"ids", "N,N,...", "the prompt as token ids; ids are printed, and no tokenizer is needed"},
      {"steps", "N", fmt::format("new tokens, at most ({})", kSteps)},
      {"temperature", "X", "what logits are divided by (0: always the most likely token)"},
      {"top-k", "K", "draw from the K most likely tokens (0: all)"},
      {"top-p", "P", "draw from the fewest tokens with P of the probability (1: all)"},
      {"repetition-penalty", "X", "above 1: tokens that occurred become less likely (1: off)"},
      {"seed", "S", "of the draws (1)"},
      {"no-cache", "", "compute all positions anew for every token; the same text, slower"},
      {"slide", "", "past the last learned position go on with the newest tokens alone"},
      {"stats", "", "speed, bytes and how the text ended, on stderr"},
      {"threads", "T", "threads; results do not depend on T"},
      {"help", "", "this page"},
  };
  return specs;
}

GenerateRequest parse_generate_options(const std::vector<std::string>& words) {
  const Arguments arguments("generate", generate_option_specs(), words);
  GenerateRequest request;
  request.help = arguments.has("help");
  if (request.help) return request;
  if (arguments.rest().size() != 1) {
    throw UsageError(fmt::format(
        "expected one MODEL, a folder or a .bin file, got {}",
        arguments.rest().empty() ? "none" : fmt::format("'{}'", fmt::join(arguments.rest(), " "))));
  }
  request.model = arguments.rest()[0];
  if (arguments.has("ids") && arguments.has("prompt")) {
    throw UsageError("--prompt and --ids exclude each other");
  }
  request.prompt = arguments.value("prompt");
  if (arguments.has("ids")) request.ids = parse_ids(arguments.value("ids"));
  request.options.steps = whole_option(arguments, "steps", kSteps);
  request.options.sampling = parse_sampling(arguments);
  request.options.seed = seed_option(arguments);
  request.options.use_cache = !arguments.has("no-cache");
  request.options.slide = arguments.has("slide");
  request.stats = arguments.has("stats");
  apply_threads(arguments, num_threads());
  return request;
}

}  // namespace gradwalk::commands
