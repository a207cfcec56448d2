// Shows Catena at work.
//
//   swift run catena-demo         three backends on this machine, with different envelopes
//   swift run catena-demo URL     one call to a server of yours
//   swift run catena-demo --check-rules FILE [--class NAME]…
//                                 everything that is wrong with a file of rules

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case nil:
    exit(await Tour.run() ? 0 : 1)
case "--check-rules"?:
    exit(RuleCheck.run(Array(arguments.dropFirst())))
case let option? where option.hasPrefix("-"):
    print("usage: catena-demo [URL | --check-rules FILE [--class NAME]…]")
    exit(2)
case let url?:
    exit(await OneCall.run(url) ? 0 : 1)
}
