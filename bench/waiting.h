#pragma once

namespace gradwalk::bench {

/// Seconds that the threads of this process have waited for a core so far, although they could have
/// run: another process had it. 0 where the system does not tell.
double seconds_waited();

}  // namespace gradwalk::bench
