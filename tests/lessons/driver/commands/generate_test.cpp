// `generate`: on a model of eight tokens that counts, made here, and on the checkpoints in data/.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lessons/driver/commands/command_fixture.h"
#include "lessons/driver/commands/generate_stats.h"
#include "nn/checkpoint/load_model.h"
#include "nn/tokenizer/characters.h"

namespace gradwalk::commands {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int kTokens = 8;

// llama2.c's format: every weight 0 but the table, which is the identity, the norms, and the
// output layer, which gives token (i + 1) % 8 the highest logit after token i, and the one after
// it half of that.
std::string counting_model(float logit, std::int32_t positions = 64) {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  // d_model, d_hidden, layers, heads, kv heads, -vocab size (an output layer of its own), positions
  for (const std::int32_t size : {kTokens, 1, 1, 1, 1, -kTokens, positions}) add(size);
  const auto square = [&](const std::vector<float>& below_the_diagonal) {
    for (int row = 0; row < kTokens; ++row) {
      for (int column = 0; column < kTokens; ++column) {
        add(below_the_diagonal[static_cast<std::size_t>((row - column + kTokens) % kTokens)]);
      }
    }
  };
  const auto fill = [&](int count, float value) {
    for (int i = 0; i < count; ++i) add(value);
  };
  square({1, 0, 0, 0, 0, 0, 0, 0});
  fill(kTokens, 1);                // the norm before attention
  fill(4 * kTokens * kTokens, 0);  // query, key, value, output
  fill(kTokens, 1);
  fill(3 * kTokens, 0);
  fill(kTokens, 1);
  fill(positions * kTokens, 0);  // cosines and sines, which readers skip
  square({0, logit, logit / 2, 0, 0, 0, 0, 0});
  return bytes;
}

class GenerateTest : public test::CommandTest {
 protected:
  GenerateTest() { write("model.bin", counting_model(1)); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // Beside the model a tokenizer of these eight characters.
  void write_tokenizer(const std::string& characters) const {
    write("tokenizer.json", nn::character_tokenizer_json(nn::character_tokenizer(characters)));
  }
  int generate(const std::vector<std::string>& options, const std::string& model = "model.bin") {
    // One thread: two that wait for each other are slow where a machine is busy.
    std::vector<std::string> words = {"generate", model, "--threads=1"};
    words.insert(words.end(), options.begin(), options.end());
    return call(words);
  }
  void expect_usage(const std::vector<std::string>& options, const std::string& message,
                    const std::string& model = "model.bin") {
    EXPECT_EQ(generate(options, model), 2);
    EXPECT_EQ(err_, "gradwalk generate: " + message + "\nsee: ./gradwalk help\n");
    EXPECT_EQ(out_, "");
  }

  // Runs a shell line in which $G is the driver; gives its standard output.
  std::string sh(const std::string& line) const {
    const std::string command = "G='" + std::string(GRADWALK_DRIVER) + "' && " + line;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 4096> chunk;
    for (std::size_t got; (got = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
      output.append(chunk.data(), got);
    }
    pclose(pipe);
    return output;
  }
};

TEST_F(GenerateTest, ContinuesIdsAndPrintsIds) {
  EXPECT_EQ(generate({"--ids=3,5", "--steps=5"}), 0);
  EXPECT_EQ(out_, "3,5,6,7,0,1,2\n");
  EXPECT_EQ(err_, "");
  EXPECT_EQ(generate({"--ids=3", "--steps=0"}), 0);
  EXPECT_EQ(out_, "3\n");
}

TEST_F(GenerateTest, ContinuesTextAsItComes) {
  write_tokenizer("abcdeäö日");
  EXPECT_EQ(generate({"--prompt=ab", "--steps=7"}), 0);
  EXPECT_EQ(out_, "abcdeäö日a\n");
  EXPECT_EQ(generate({"--prompt=ab", "--steps=7"}, "."), 0) << "a folder with one .bin";
  EXPECT_EQ(out_, "abcdeäö日a\n");
  EXPECT_EQ(generate({"--prompt=ö", "--steps=1", "--no-cache"}), 0);
  EXPECT_EQ(out_, "ö日\n");
}

TEST_F(GenerateTest, StatsSayWhatWasMeasured) {
  EXPECT_EQ(generate({"--ids=3,5", "--steps=5", "--stats"}), 0);
  EXPECT_EQ(out_, "3,5,6,7,0,1,2\n");
  // Two vectors of 8 float32 a position; the four steps read 3 to 6 positions.
  EXPECT_THAT(err_,
              AllOf(ContainsRegex("^prompt   2 tokens in [^ ]+ ms: [0-9]+ tokens/s\n"
                                  "new      4 after the first in [^ ]+ ms: [0-9]+ tokens/s\n"
                                  "cache    384 bytes: 64 bytes for each of 6 positions\n"
                                  "read     1.75 KiB a token, 1.469 KiB of them weights: "),
                    ContainsRegex("\nlimit    [^ ]+ GB/s, the best of 10 reads of 64 MiB with 1 "
                                  "thread\nshare    [^ ]+ %; weights this small"),
                    HasSubstr("\nend      5 of 5 new tokens\n")));
  EXPECT_EQ(generate({"--ids=3", "--steps=1", "--stats", "--no-cache"}), 0);
  EXPECT_THAT(err_, AllOf(StartsWith("prompt   1 token in "), Not(HasSubstr("\nnew ")),
                          HasSubstr("cache    none: every token")));
}

TEST_F(GenerateTest, WeightBytesLeaveOutRowsThatAreNotLookedUp) {
  const auto model = nn::load_model("model.bin");
  // One row of the table, three norms, four projections, the feed-forward, the output layer.
  EXPECT_EQ(weight_bytes_per_token(*model), 4 * (8 + 3 * 8 + 4 * 64 + 3 * 8 + 64));
  EXPECT_GT(read_bandwidth(1 << 20), 1e6);
}

TEST_F(GenerateTest, DrawsBySeedWhichItPrints) {
  const auto text = [&](const char* seed, const char* temperature) {
    EXPECT_EQ(generate({"--ids=3", "--steps=40", std::string("--seed=") + seed,
                        std::string("--temperature=") + temperature}),
              0);
    EXPECT_EQ(err_, std::string("seed ") + seed + "\n");
    return out_;
  };
  const std::string seven = text("7", "2");
  EXPECT_EQ(text("7", "2"), seven);
  EXPECT_NE(text("8", "2"), seven);
  EXPECT_EQ(generate({"--ids=3", "--steps=40", "--temperature=2"}), 0);
  EXPECT_EQ(err_, "seed 1\n");
  EXPECT_EQ(generate({"--ids=3", "--steps=4", "--temperature=2", "--top-k=1"}), 0);
  EXPECT_EQ(out_, "3,4,5,6,7\n");
  EXPECT_EQ(generate({"--ids=3", "--steps=4", "--temperature=2", "--top-p=0"}), 0);
  EXPECT_EQ(out_, "3,4,5,6,7\n");
  // 4 is in the text: a third of its logit is less than that of 5.
  EXPECT_EQ(generate({"--ids=4,3", "--steps=1", "--repetition-penalty=3"}), 0);
  EXPECT_EQ(out_, "4,3,5\n");
  EXPECT_EQ(generate({"--ids=4,3", "--steps=1"}), 0);
  EXPECT_EQ(out_, "4,3,4\n");
}

TEST_F(GenerateTest, AnInterruptLeavesWhatWasMade) {
  signal_ = 2;
  signal_after_ = 2;
  EXPECT_EQ(generate({"--ids=3", "--stats"}), 130);
  EXPECT_EQ(out_, "3,4,5,6\n");
  EXPECT_THAT(err_, HasSubstr("\nend      3 of 256 new tokens: interrupted\n"));
  signal_ = 15;
  EXPECT_EQ(generate({"--ids=3"}), 143);
}

TEST_F(GenerateTest, LogitsThatAreNoNumbersAreExitFive) {
  write("model.bin", counting_model(std::nanf("")));
  EXPECT_EQ(generate({"--ids=3"}), 5);
  EXPECT_EQ(out_, "3\n");
  EXPECT_THAT(err_, HasSubstr("expected logits that are numbers, got NaN at [0]; logits=[8]\n"));
}

TEST_F(GenerateTest, PastThePositionsOfTrainingThereIsANote) {
  write("model.bin", counting_model(1, /*positions=*/4));
  EXPECT_EQ(generate({"--ids=3,4", "--steps=2"}), 0);
  EXPECT_EQ(err_, "");
  EXPECT_EQ(generate({"--ids=3,4", "--steps=3"}), 0);
  EXPECT_EQ(out_, "3,4,5,6,7\n");
  EXPECT_EQ(err_, "note: 5 positions, and the model was made for 4\n");
}

TEST_F(GenerateTest, OptionsAreCheckedBeforeTheModelIsLoaded) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--step=3", "unknown option '--step', nearest: --steps"},
      {"--json=-", "unknown option '--json', nearest: --ids"},
      {"--steps=-1", "--steps: expected a whole number >= 0, got '-1'"},
      {"--steps=2.5", "--steps: expected a whole number >= 0, got '2.5'"},
      {"--steps=99999999999999999999",
       "--steps: expected a whole number >= 0, got '99999999999999999999'"},
      {"--temperature=-1", "--temperature: expected a number >= 0, got '-1'"},
      {"--temperature=nan", "--temperature: expected a number >= 0, got 'nan'"},
      {"--top-k=-1", "--top-k: expected a whole number >= 0, got '-1'"},
      {"--top-p=1.5", "--top-p: expected a number from 0 to 1, got '1.5'"},
      {"--repetition-penalty=0", "--repetition-penalty: expected a number > 0, got '0'"},
      {"--top-k=5", "--top-k needs a --temperature above 0: at 0 the most likely token is taken"},
      {"--seed=5", "--seed needs a --temperature above 0: at 0 the most likely token is taken"},
      {"--ids=1,,2", "--ids: expected whole numbers >= 0 with commas between, got ''"},
      {"--ids=-1", "--ids: expected whole numbers >= 0 with commas between, got '-1'"},
      {"--ids=", "--ids needs a value: --ids=N,N,..."},
      {"--prompt", "--prompt needs a value: --prompt=TEXT"},
      {"other", "expected one MODEL, a folder or a .bin file, got 'nowhere other'"},
  };
  for (const auto& [option, message] : cases) expect_usage({option}, message, "nowhere");
  expect_usage({"--prompt=a", "--ids=1"}, "--prompt and --ids exclude each other", "nowhere");
  EXPECT_EQ(call({"generate"}), 2);
  EXPECT_THAT(err_, HasSubstr("expected one MODEL, a folder or a .bin file, got none"));
}

TEST_F(GenerateTest, PromptsThatTheModelCannotTake) {
  expect_usage({"--ids=1,8"}, "--ids: expected ids below 8, the model's tokens, got 8");
  expect_usage({"--prompt=a"}, "--prompt: there is no tokenizer in .; give token ids: --ids=1,2,3");
  write_tokenizer("abcdefgh");
  expect_usage({"--prompt="},
               "--prompt: expected a text, for this tokenizer has no token to begin with");
  expect_usage({}, "--prompt: expected a text, for this tokenizer has no token to begin with");
  EXPECT_EQ(generate({"--prompt=abz"}), 2);
  EXPECT_THAT(err_, AllOf(StartsWith("gradwalk generate: --prompt: "), HasSubstr("'z'")));
  // More lines and more characters than a regular expression of the library takes.
  write_tokenizer("abcdefg\n");
  EXPECT_EQ(generate({"--prompt=a\nb", "--steps=1"}), 0) << err_;
  EXPECT_EQ(out_, "a\nbc\n");
  const std::string letters(20000, 'c');
  EXPECT_EQ(generate({"--prompt=" + letters, "--steps=1", "--no-cache"}), 0) << err_;
  EXPECT_EQ(out_, letters + "d\n");
}

TEST_F(GenerateTest, FilesThatCannotBeReadAreExitFour) {
  EXPECT_EQ(generate({}, "nowhere"), 4);
  EXPECT_EQ(err_, "load_model: expected a folder or a file, got nothing; nowhere\n");
  write("short.bin", counting_model(1).substr(0, 300));
  EXPECT_EQ(generate({"--ids=1"}, "short.bin"), 4);
  EXPECT_THAT(err_, HasSubstr("bytes, by the sizes in the header, got 300; in short.bin\n"));
  write_tokenizer("abcdefghi");
  EXPECT_EQ(generate({"--prompt=i"}), 4);
  EXPECT_THAT(err_, StartsWith("the tokenizer does not fit the model: expected ids below 8, the "
                               "model's tokens, got 8; "));
  write_tokenizer("abcdefg");
  EXPECT_EQ(generate({"--prompt=f"}), 4);
  EXPECT_EQ(out_, "fg\n");
  EXPECT_THAT(err_, StartsWith("the tokenizer does not fit the model: "));
  write("tokenizer.json", "{");
  EXPECT_EQ(generate({"--prompt=f"}), 4);
  EXPECT_THAT(err_, HasSubstr("tokenizer.json"));
  EXPECT_EQ(generate({"--ids=3", "--steps=1"}), 0) << "ids need none";
  EXPECT_EQ(out_, "3,4\n");
  EXPECT_THAT(err_, StartsWith("note: no stop token is known; load_tokenizer: "));
}

TEST_F(GenerateTest, HelpIsAPageOfItsOwn) {
  EXPECT_EQ(call({"help", "generate"}), 0);
  EXPECT_THAT(out_, AllOf(StartsWith("./gradwalk generate MODEL [OPTIONS]"), HasSubstr("--top-p=P"),
                          HasSubstr("--no-cache")));
}

TEST_F(GenerateTest, AClosedPipeEndsItQuietly) {
  EXPECT_EQ(sh("$G generate model.bin --ids=1 --steps=1000000000 2>err.txt | head -c 11"),
            "1,2,3,4,5,6");
  EXPECT_EQ(std::filesystem::file_size("err.txt"), 0U);
}

TEST_F(GenerateTest, CtrlCEndsItWithWhatWasMade) {
  EXPECT_EQ(sh("($G generate model.bin --ids=1 --steps=1000000000 >out.txt 2>err.txt & p=$!; "
               "while ! [ -s out.txt ]; do sleep 0.02; done; kill -INT $p; wait $p; echo $?)"),
            "130\n");
  EXPECT_EQ(sh("head -c 11 out.txt"), "1,2,3,4,5,6");
}

// The checkpoints that others made.
class GenerateReference : public GenerateTest, public testing::WithParamInterface<const char*> {
 protected:
  std::string model() const {
    return std::string(GRADWALK_TEST_DATA) + "/data/models/" + GetParam();
  }
  json reference() const {
    std::ifstream file(model() + "/reference.json");
    return file ? json::parse(file) : json();
  }
  static std::string joined(const std::vector<std::int64_t>& ids) {
    std::string text;
    for (const std::int64_t id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
  }
};

using GenerateStories = GenerateReference;

TEST_P(GenerateStories, TextAndIdsAreThoseOfTheReference) {
  const json all = reference();
  if (all.is_null()) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  for (const json& run : all.at("greedy")) {
    const std::vector<std::int64_t> prompt = run.at("prompt_ids");
    std::vector<std::int64_t> ids = run.at("ids");
    // One file lists the stop token among the ids, the other the token that came last beside them.
    const bool stops = run.value("ended_by_eos", false) || run.value("stopped_by_bos", false);
    if (run.value("ended_by_eos", false)) ids.pop_back();
    if (run.contains("next_id") && !stops) ids.push_back(run["next_id"]);
    // A text that stops by itself is given more steps than it takes.
    const std::size_t steps = ids.size() - prompt.size() + (stops ? 9 : 0);
    const std::string option = "--steps=" + std::to_string(steps);
    EXPECT_EQ(generate({"--prompt=" + run.at("prompt").get<std::string>(), option}, model()), 0);
    EXPECT_EQ(out_, run.at("text").get<std::string>() + "\n");
    EXPECT_EQ(err_, "");
    EXPECT_EQ(generate({"--ids=" + joined(prompt), option}, model()), 0);
    EXPECT_EQ(out_, joined(ids) + "\n");
  }
  const json& run = all["greedy"][0];
  const std::string prompt = "--prompt=" + run.at("prompt").get<std::string>();
  EXPECT_EQ(generate({prompt, "--steps=30"}, model()), 0);
  const std::string cached = out_;
  EXPECT_EQ(generate({prompt, "--steps=30", "--no-cache"}, model()), 0);
  EXPECT_EQ(out_, cached);
}

TEST_P(GenerateStories, SaysWhichTokenEndedAText) {
  const json all = reference();
  if (all.is_null()) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  EXPECT_EQ(generate({"--prompt=The dog and the cat were", "--stats"}, model()), 0);
  const bool is_first = std::string(GetParam()) == "stories260K";
  EXPECT_THAT(err_, HasSubstr(is_first ? " new tokens: the stop token <s> (1) or </s> (2)\n"
                                       : " new tokens: the stop token <|start_story|> (1) or "
                                         "<|end_story|> (2)\n"));
}

TEST_P(GenerateStories, BeginsFromNothing) {
  const json all = reference();
  if (all.is_null()) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  EXPECT_EQ(generate({"--steps=5"}, model()), 0);
  const std::string text = out_;
  EXPECT_GT(text.size(), 5U);
  EXPECT_EQ(generate({"--prompt=", "--steps=5"}, model()), 0);
  EXPECT_EQ(out_, text);
  EXPECT_EQ(err_, "");
}

TEST_F(GenerateTest, HalfACharacterAtTheEndIsShownAsOne) {
  const std::string model = GRADWALK_TEST_DATA "/data/models/stories260K";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  EXPECT_EQ(generate({"--prompt=x\xe6\x97", "--steps=0"}, model), 0);
  EXPECT_THAT(out_, AllOf(StartsWith("x\xef\xbf\xbd"), EndsWith("\n")));
  EXPECT_THAT(err_, StartsWith("note: the tokenizer cannot write all of the prompt"));
}

INSTANTIATE_TEST_SUITE_P(Models, GenerateStories,
                         testing::Values("stories260K", "tinystories-656k"));

using GenerateGpt2 = GenerateReference;

TEST_P(GenerateGpt2, IdsAreThoseOfTheReferenceUpToTheLastPosition) {
  const json all = reference();
  if (all.is_null()) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  const json& run = all.at("greedy");
  EXPECT_EQ(generate({"--ids=" + joined(run.at("prompt_ids"))}, model()), 0);
  EXPECT_EQ(out_, joined(run.at("ids")) + "\n");
  EXPECT_EQ(err_, "note: the text ends here: the model has 32 positions; --slide goes on\n");
  expect_usage({"--prompt=a"},
               "--prompt: there is no tokenizer in " +
                   std::filesystem::path(model()).lexically_normal().string() +
                   "; give token ids: --ids=1,2,3",
               model());
  expect_usage({"--ids=" + joined(std::vector<std::int64_t>(33, 1))},
               "--ids: expected at most 32 tokens, the model's positions, got 33; "
               "--slide reads the newest ones",
               model());
  EXPECT_EQ(generate({"--ids=" + joined(run.at("prompt_ids")), "--steps=40", "--slide", "--stats"},
                     model()),
            0);
  EXPECT_THAT(out_, StartsWith(joined(run.at("ids")) + ","));
  EXPECT_THAT(err_, testing::HasSubstr("slide    later tokens computed 32 positions anew\n"));
  EXPECT_THAT(err_, EndsWith("end      40 of 40 new tokens\n"));
}

INSTANTIATE_TEST_SUITE_P(Models, GenerateGpt2, testing::Values("tiny-gpt2"));

}  // namespace
}  // namespace gradwalk::commands
