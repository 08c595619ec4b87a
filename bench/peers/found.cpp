#include "bench/peers/peer.h"

namespace gradwalk::bench {

#ifdef GRADWALK_OPENBLAS
std::shared_ptr<Peer> openblas();
#endif
#ifdef GRADWALK_ONEDNN
std::shared_ptr<Peer> onednn();
#endif
#ifdef GRADWALK_EIGEN
std::shared_ptr<Peer> eigen();
#endif
#ifdef GRADWALK_LIBTORCH
std::shared_ptr<Peer> libtorch();
#endif

Peers found_peers() {
  return {
#ifdef GRADWALK_OPENBLAS
      openblas(),
#endif
#ifdef GRADWALK_ONEDNN
      onednn(),
#endif
#ifdef GRADWALK_EIGEN
      eigen(),
#endif
#ifdef GRADWALK_LIBTORCH
      libtorch(),
#endif
  };
}

}  // namespace gradwalk::bench
