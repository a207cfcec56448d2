// Shows Catena at work.
//
//   swift run catena-demo         three backends on this machine, with different envelopes
//   swift run catena-demo URL     one call to a server of yours

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case nil:
    exit(await Tour.run() ? 0 : 1)
case let option? where option.hasPrefix("-"):
    print("usage: catena-demo [URL]")
    exit(2)
case let url?:
    exit(await OneCall.run(url) ? 0 : 1)
}
