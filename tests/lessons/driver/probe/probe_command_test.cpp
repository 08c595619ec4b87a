// `probe`: what it prints, and what it refuses.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lessons/driver/probe/inputs.h"
#include "lessons/driver/probe/probe_fixture.h"
#include "lessons/tasks/numbers/cls_checkpoint.h"
#include "lessons/tasks/numbers/training.h"
#include "nn/checkpoint/safetensors.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::probe {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kData = GRADWALK_TEST_DATA "/data/";

class ProbeCommand : public test::ProbeTest {
 protected:
  int probe(std::vector<std::string> words) {
    words.insert(words.begin(), {"probe", "--threads=1"});
    return call(words);
  }
  void expect_usage(const std::vector<std::string>& words, const std::string& message) {
    EXPECT_EQ(probe(words), 2) << out_;
    EXPECT_THAT(err_, HasSubstr("gradwalk probe: " + message));
  }
  void expect_input_error(const std::vector<std::string>& words, const std::string& message) {
    EXPECT_EQ(probe(words), 4) << out_;
    EXPECT_THAT(err_, HasSubstr(message));
  }
};

TEST_F(ProbeCommand, ReadingComesFirst) {
  save_encoder();
  EXPECT_EQ(probe({"encoder"}), 0) << err_;
  EXPECT_THAT(out_, testing::StartsWith("read "));
  EXPECT_THAT(out_, AllOf(HasSubstr("9 tensors, 480 numbers, F32"),
                          HasSubstr("layout    gradwalk_encoder, by config.json; every number has"),
                          HasSubstr("q  layers.N.self_attn.q_proj.weight  [6, 8] = out x in"),
                          HasSubstr("2 layers of 2 heads, each 3 wide, with keys of its own"),
                          HasSubstr("places    none"), HasSubstr("none: every token sees every"),
                          HasSubstr("not compared with the source model")));
  EXPECT_THAT(out_, HasSubstr("need --tokens"));
  EXPECT_THAT(out_, Not(HasSubstr("entropy  ")));
}

TEST_F(ProbeCommand, MeasuresTextsAndClasses) {
  save_encoder();
  write("ids.txt", "0 3 7 7 10\n0 4 4 3\n");
  write("classes.txt", "some: 3 10\nrare: 11\n");
  EXPECT_EQ(probe({"encoder/model.safetensors", "--tokens=ids.txt", "--classes=classes.txt"}), 0)
      << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("2 of 9 tokens together"), ContainsRegex("0 +1 +0\\.[0-9]+ @"),
                          ContainsRegex("some +1 +0 +[-+][0-9.]+ +[0-9.]+/[0-9.]+"),
                          ContainsRegex("rare +0 +0 +- +- "), HasSubstr("Var(s)")));
  const std::string whole = out_;
  EXPECT_EQ(probe({"encoder", "--tokens=ids.txt", "--classes=classes.txt", "--threads=2"}), 2);
  EXPECT_EQ(call({"probe", "encoder/model.safetensors", "--tokens=ids.txt", "--classes=classes.txt",
                  "--threads=2"}),
            0);
  EXPECT_EQ(out_, whole);
  EXPECT_EQ(probe({"encoder", "--tokens=0,3, 7,7,10"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("1 of 5 tokens together"));
}

TEST_F(ProbeCommand, ALanguageModelAndItsPrompt) {
  save_language_model();
  EXPECT_EQ(probe({"model", "--tokens=1,2,3"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("layout    llama, by config.json"),
                          HasSubstr("2 layers of 4 heads, each 2 wide, 2 share keys and values"),
                          HasSubstr("rotary, base 10000, pairs (i, i + half the width)"),
                          HasSubstr("causal: a token sees itself and those before"),
                          HasSubstr("Kullback-Leibler")));
  expect_usage({"model", "--prompt=a"}, "--prompt: there is no tokenizer in model");
}

TEST_F(ProbeCommand, ADifferentModelThanItsSourceIsNoneToMeasure) {
  save_encoder();
  const Checkpoint model("encoder");
  const Ids text = {0, 3, 7};
  Tensor cls = clone(select(model.run(text).output, 0, 0));
  const Tensor ids = from_vector({0, 3, 7}, {3}, DType::kInt64);
  nn::save_safetensors("right.safetensors", {{"cls", cls}, {"ids", ids}});
  EXPECT_EQ(probe({"encoder", "--expect=right.safetensors"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("cls: largest difference 0 over 8 numbers"),
                          HasSubstr("1 of 3 tokens together")));
  add_into(cls, 0.5);
  nn::save_safetensors("wrong.safetensors", {{"cls", cls}, {"ids", ids}});
  EXPECT_EQ(probe({"encoder", "--expect=wrong.safetensors"}), 4);
  EXPECT_THAT(err_, HasSubstr("got a difference of 0.5: the weights, or what they were taken for"));
  EXPECT_THAT(out_, Not(HasSubstr("entropy")));
  expect_usage({"encoder", "--expect=wrong.safetensors", "--tokens=1"},
               "--expect: the file has ids of its own");
  nn::save_safetensors("negative.safetensors",
                       {{"cls", cls}, {"ids", from_vector({0, -1, 7}, {3}, DType::kInt64)}});
  expect_input_error({"encoder", "--expect=negative.safetensors"},
                     "negative.safetensors: expected ids from 0 to 11, the model's tokens, got -1");
  nn::save_safetensors("bare.safetensors", {{"cls", cls}});
  expect_usage({"encoder", "--expect=bare.safetensors"}, "--expect: the file has no ids");
}

TEST_F(ProbeCommand, SeveralCheckpointsAreCompared) {
  save_encoder();
  const std::filesystem::path other = folder_ / "later";
  std::filesystem::rename(folder_ / "encoder", other);
  nn::Encoder model(encoder_options(), nn::Seed(9));
  nn::save_encoder(encoder_options(), model.state_dict(), folder_ / "encoder");
  write("classes.txt", "some: 3 10\n");
  EXPECT_EQ(probe({"encoder", "later", "--tokens=0,3,7,10", "--classes=classes.txt"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("class     some: cosine of the query"),
                          ContainsRegex("encoder +-?[0-9.]+ +-?[0-9.]+"),
                          ContainsRegex("later +-?[0-9.]+ +-?[0-9.]+")));
  nn::EncoderOptions wide = encoder_options();
  wide.num_layers = 1;
  nn::save_encoder(wide, nn::Encoder(wide, nn::Seed(1)).state_dict(), folder_ / "wide");
  expect_input_error({"later", "wide", "--tokens=0,3,7,10", "--classes=classes.txt"},
                     "expected checkpoints of one model, got other layers or heads in wide");
  expect_usage({"encoder", "later"}, "several files are compared by how their query turns");
}

TEST_F(ProbeCommand, WordsThatDoNotFit) {
  save_encoder();
  expect_usage({}, "expected a FILE or a folder of a model, got none");
  expect_usage({"encoder", "--tokens=1,12"},
               "--tokens: expected ids from 0 to 11, the model's tokens, got 12");
  expect_usage({"encoder", "--tokens=,"}, "--tokens: expected token ids, got none");
  write("ids.txt", "0 1\n0 12\n");
  expect_input_error({"encoder", "--tokens=ids.txt"}, "ids.txt: expected ids from 0 to 11");
  write("ids.txt", std::string(2050, '1'));
  std::string many;
  for (int i = 0; i < 1025; ++i) many += "1 ";
  write("ids.txt", many);
  expect_input_error({"encoder", "--tokens=ids.txt"},
                     "ids.txt: expected texts of at most 1024 tokens, got one of 1025");
  expect_usage({"encoder", "--tokens=1", "--prompt=x"}, "--tokens and --prompt exclude");
  expect_usage({"encoder", "--classes=c.txt"}, "--classes needs texts");
  expect_usage({"encoder", "--token=1"}, "");
  nn::EncoderOptions placed = encoder_options();
  placed.max_positions = 3;
  save_encoder(placed);
  expect_usage({"encoder", "--tokens=1,2,3,4"},
               "--tokens: expected texts of at most 3 tokens, the model's places, got one of 4");
}

TEST_F(ProbeCommand, SettingsThatAreMissingAreNotGuessed) {
  save_language_model();
  std::filesystem::rename("model/config.json", "settings.json");
  expect_input_error(
      {"model/model.safetensors"},
      "probe: expected config.json beside the weights, got none, and 20 tensors with names as "
      "llama has them; shapes leave the heads open: 1 x 8, 2 x 4, 4 x 2, 8 x 1 "
      "(heads "
      "x width); --config=FILE names a config.json elsewhere; model/model.safetensors");
  expect_input_error({"model"}, "shapes leave the heads open");
  EXPECT_EQ(probe({"model", "--config=settings.json"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("layout    llama, by settings.json"));
  expect_input_error({"model", "--config=none.json"}, "expected a file --config=none.json");
  nn::save_safetensors("model/model.safetensors", {{"w", ones({2, 2})}});
  expect_input_error({"model"}, "1 tensors with names of no layout that is known here");
}

TEST_F(ProbeCommand, NamesAreThoseThatAreRead) {
  save_language_model();
  nn::StateDict state;
  const nn::Safetensors file("model/model.safetensors");
  for (const auto& entry : file.entries()) state.emplace_back(entry.name, file.load(entry.name));
  // Left out, as older files have it, and no projection whatever it is called.
  state.emplace_back("model.layers.0.self_attn.q_proj.weight.rotary_emb.inv_freq", ones({}));
  nn::save_safetensors("model/model.safetensors", state);
  EXPECT_EQ(probe({"model"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("q  model.layers.N.self_attn.q_proj.weight  [8, 8] = out x in"),
                          testing::ContainsRegex("the others are\\s+buffers")));
  state.back().first = "a.rotary_emb.inv_freq.model.layers.0.self_attn.q_proj.weight";
  nn::save_safetensors("model/model.safetensors", state);
  expect_input_error({"model"}, "tensors that the model has a place for");
}

TEST_F(ProbeCommand, SettingsThatWouldMakeAnotherModel) {
  save_encoder();
  json config;
  std::ifstream("encoder/config.json") >> config;
  config["is_decoder"] = true;
  write("encoder/config.json", config.dump());
  expect_input_error({"encoder"}, "got \"is_decoder\"");
  save_language_model();
  std::ifstream("model/config.json") >> config;
  config["sliding_window"] = 4;
  write("model/config.json", config.dump());
  expect_input_error({"model"}, "no sliding_window, which is not supported, got 4");
}

TEST_F(ProbeCommand, FilesThatCannotBe) {
  expect_input_error({"absent"}, "expected a folder or a file, got nothing");
  save_encoder();
  write("ids.txt", "0 x\n");
  expect_input_error({"encoder", "--tokens=ids.txt"}, "ids.txt:1: expected token ids");
  expect_input_error({"encoder", "--tokens=absent.txt"}, "absent.txt: cannot be read");
  write("encoder/config.json", "{\"model_type\": \"gradwalk_encoder\"}");
  expect_input_error({"encoder"}, "vocab_size in [1, 2^30], got none");
  write("encoder/config.json", "{");
  expect_input_error({"encoder"}, "expected JSON");
}

TEST_F(ProbeCommand, WeightsThatAreNotFinite) {
  save_encoder();
  nn::StateDict state;
  const nn::Safetensors file("encoder/model.safetensors");
  for (const auto& entry : file.entries())
    state.emplace_back(entry.name, clone(file.load(entry.name)));
  fill(slice(state[0].second, 0, 0, 1), NAN);
  nn::save_safetensors("encoder/model.safetensors", state);
  EXPECT_EQ(probe({"encoder"}), 5);
  EXPECT_THAT(err_, AllOf(HasSubstr("expected weights that are finite in float32, got 8 NaN"),
                          HasSubstr(state[0].first)));
}

TEST_F(ProbeCommand, EveryMalformedFileOfTheFormat) {
  if (!std::filesystem::exists(kData)) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  save_encoder();
  json cases;
  std::ifstream(kData + "formats/safetensors/cases.json") >> cases;
  int tried = 0;
  for (const char* kind : {"invalid", "either"}) {
    for (const json& one : cases.at(kind)) {
      const std::string name = one.at("file");
      std::filesystem::copy_file(kData + "formats/safetensors/" + name, "encoder/model.safetensors",
                                 std::filesystem::copy_options::overwrite_existing);
      EXPECT_EQ(probe({"encoder"}), 4) << name;
      EXPECT_THAT(err_, AllOf(HasSubstr("expected"), HasSubstr("encoder/model.safetensors")))
          << name;
      EXPECT_EQ(out_, "") << name;
      ++tried;
    }
  }
  EXPECT_EQ(tried, 31);
}

TEST_F(ProbeCommand, ModelsThatALessonKeeps) {
  tasks::NumberTraining training;
  training.updates = 30;
  const auto trained = tasks::trained_number_model(training, 5);
  tasks::save_cls_model(*trained.model, training.task, 5, folder_ / "cls");
  EXPECT_EQ(probe({"cls", "--expect=cls/expected.safetensors", "--classes=cls/classes.txt"}), 0)
      << err_;
  EXPECT_THAT(out_, AllOf(ContainsRegex("cls: largest difference [0-9.]+e-0[5-9] over 320"),
                          HasSubstr("20 of 180 tokens together"), ContainsRegex("number +0 +0 +")));

  training.model.weighting = tasks::Weighting::kSigmoid;
  EXPECT_THAT(
      [&] { tasks::save_cls_model(*tasks::new_number_model(training, 5), training.task, 5, "no"); },
      testing::ThrowsMessage<std::invalid_argument>(
          HasSubstr("save_cls_model: expected weights by")));
}

// Its weights are so small that another cut into heads changes the results by 1e-4 of their size.
TEST_F(ProbeCommand, AWrongNumberOfHeadsIsFound) {
  const std::string model = kData + "models/tiny-bert";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  const Ids text = {2, 30, 17, 26, 3};
  nn::save_safetensors("expected.safetensors",
                       {{"ids", from_vector({2, 30, 17, 26, 3}, {5}, DType::kInt64)},
                        {"last_hidden_state", Checkpoint(model).run(text).output}});
  json config;
  std::ifstream(model + "/config.json") >> config;
  for (const int heads : {1, 2, 16}) {
    config["num_attention_heads"] = heads;
    write("settings.json", config.dump());
    expect_input_error({model, "--config=settings.json", "--expect=expected.safetensors"},
                       "expected last_hidden_state within 1e-05 of the largest, got a difference");
  }
  EXPECT_EQ(probe({model, "--expect=expected.safetensors"}), 0) << err_;
}

struct Source {
  const char* model;
  const char* expected;  // a file there; or none: reference.json is turned into one
  double most;
};

class ProbeCheckpoint : public ProbeCommand, public testing::WithParamInterface<Source> {};

TEST_P(ProbeCheckpoint, ComputesWhatItsSourceDoes) {
  const std::string model = kData + "models/" + GetParam().model;
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  std::string expected = model + "/" + GetParam().expected;
  if (std::string(GetParam().expected).empty()) {
    json reference;
    std::ifstream(model + "/reference.json") >> reference;
    const json& one = reference.at("cases").at(0);
    const std::vector<double> ids = one.at("input_ids");
    const auto length = std::ssize(ids);
    std::vector<double> states;
    for (const json& row : one.at("last_hidden_state")) {
      for (const json& value : row) states.push_back(value);
    }
    expected = "expected.safetensors";
    nn::save_safetensors(
        expected, {{"ids", from_vector(ids, {length}, DType::kInt64)},
                   {"last_hidden_state",
                    from_vector(states, {length, std::ssize(states) / length}, DType::kFloat64)}});
  }
  EXPECT_EQ(probe({model, "--expect=" + expected}), 0) << err_;
  const std::string words = "largest difference ";
  const std::size_t at = out_.find(words);
  ASSERT_NE(at, std::string::npos) << out_;
  EXPECT_LE(std::stod(out_.substr(at + words.size())), GetParam().most);
  EXPECT_THAT(out_, HasSubstr("entropy"));
}

INSTANTIATE_TEST_SUITE_P(Models, ProbeCheckpoint,
                         testing::Values(Source{"stories260K", "activations.safetensors", 3e-5},
                                         Source{"tinystories-656k", "activations.safetensors",
                                                3e-5},
                                         Source{"tiny-bert", "", 1e-5}),
                         [](const auto& source) {
                           std::string name = source.param.model;
                           std::erase_if(name, [](char c) { return c == '-'; });
                           return name;
                         });

}  // namespace
}  // namespace gradwalk::probe
