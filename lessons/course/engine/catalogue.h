#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/engine/claim.h"

namespace gradwalk::course {

/// A claim as lessons/claims.json has it.
struct CatalogueClaim {
  std::string id;
  std::string article;
  std::string section;
  std::string statement;  ///< in our words
  int lesson = 0;
  Verdict verdict = Verdict::kReproduced;
  std::string control;  ///< the break that must flip it
  std::string why;      ///< the reason for the verdict, may be empty
};

/// A named break of a lesson and the claims that it must flip, exactly.
struct CatalogueBreak {
  int lesson = 0;
  std::string name;
  std::set<std::string> flips;
};

/// All claims of the course. Predicates, sizes and tolerances are not here: they stand in the
/// lessons' code alone.
struct Catalogue {
  std::map<std::string, std::string> articles;  ///< id and title
  std::map<int, std::string> lessons;           ///< number and what it is about, in a line
  std::vector<CatalogueClaim> claims;           ///< in the order of the file
  std::vector<CatalogueBreak> breaks;

  const CatalogueClaim* find(std::string_view id) const;
  std::vector<const CatalogueClaim*> of_lesson(int lesson) const;
  /// The claims that a break of a lesson must flip; empty if there is no such break.
  std::set<std::string> flips(int lesson, std::string_view name) const;
};

/// Reads the JSON of a catalogue.
/// @throws std::logic_error that names the fault: a missing field, an unknown verdict, an id twice,
/// a control that is no
///         break of the claim's lesson or is not said to flip the claim
Catalogue parse_catalogue(std::string_view json);

/// The text of lessons/claims.json, which is built in.
std::string_view catalogue_json();

}  // namespace gradwalk::course
