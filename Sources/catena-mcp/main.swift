// Shows the calls of a running app to an agent, over the Model Context Protocol on stdin and stdout.
//
//   swift run catena-mcp          the only app of this user that runs an inspector
//   swift run catena-mcp APP      the app with this name, or with the inspector on this port

import CatenaInspector
import Foundation

exit(await AgentProgram.run(Array(CommandLine.arguments.dropFirst())))
