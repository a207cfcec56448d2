// A program that imports Catena alone: what it loads, and how much memory it has at start and after calls.
//
//   Start                  prints the version
//   Start URL COUNT        sends so many calls, one after the other
import Catena

print(API.version)
if CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]) {
    for _ in 0..<count { try await API.host(CommandLine.arguments[1]).get("/").void() }
}
