// Demonstrates Catena.
//
//   swift run catena-demo         three backends on this machine, with different envelopes
//   swift run catena-demo URL     one call to a server of yours
//   swift run catena-demo --check-rules FILE [--class NAME]…
//                                 all errors of a rule file
//   swift run catena-demo --inspect
//                                 calls of all sorts, repeatedly, and the inspector that shows them
//   swift run catena-demo --har FILE
//                                 a HAR file in the inspector's page

import CatenaURLSession
import Foundation

// For systems without a fitting libcurl.
URLSessionTransport.useWithoutLibcurl()

let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case nil:
    exit(await Tour.run() ? 0 : 1)
case "--check-rules"?:
    exit(RuleCheck.run(Array(arguments.dropFirst())))
case "--inspect"?:
    exit(await InspectedCalls.run(Array(arguments.dropFirst())))
case "--har"?:
    exit(await ArchiveView.run(Array(arguments.dropFirst())))
case let option? where option.hasPrefix("-"):
    print("usage: catena-demo [URL | --check-rules FILE [--class NAME]… | --inspect | --har FILE]")
    exit(2)
case let url?:
    exit(await OneCall.run(url) ? 0 : 1)
}
