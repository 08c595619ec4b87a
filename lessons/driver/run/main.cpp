#include "lessons/driver/run/main.h"

#include <exception>
#include <string>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/lesson_table.h"
#include "lessons/course/text/console.h"
#include "lessons/course/text/interrupt.h"
#include "lessons/driver/run/context.h"

namespace gradwalk::commands {

int run_main(int argc, char** argv, bool single) {
  course::catch_interrupts();
  const course::Console console = course::process_console();
  try {
    const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
    const auto lessons = course::lesson_table();
    const Context context{console, catalogue, {lessons.begin(), lessons.end()}, single};
    return static_cast<int>(dispatch(context, {argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    console.err(std::string("internal error: ") + error.what() + "\n");
    return static_cast<int>(course::Exit::kInternal);
  }
}

}  // namespace gradwalk::commands
