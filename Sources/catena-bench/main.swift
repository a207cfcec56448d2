import Foundation

// Prints what Catena costs beside what a user would write by hand, both measured in one run.
//
//   swift run -c release catena-bench              everything
//   swift run -c release catena-bench prepare      one group
//   swift run -c release catena-bench --smoke      everything, briefly, to see that it runs

let arguments = CommandLine.arguments.dropFirst()
let isSmoke = arguments.contains("--smoke")
let names = arguments.filter { !$0.hasPrefix("-") }

// For callgrind and the like: the same operation over and over, nothing else.
if arguments.first == "count" {
    let rest = Array(arguments.dropFirst())
    countAndExit(rest.first ?? "", times: rest.dropFirst().first.flatMap { Int($0) } ?? 1000)
}

if arguments.first == "differential" {
    exit(differential(Array(arguments.dropFirst())))
}

let known = Group.all.map(\.name)

guard names.allSatisfy(known.contains) else {
    print("Known groups: \(known.joined(separator: ", "))")
    exit(2)
}

for group in Group.all where names.isEmpty || names.contains(group.name) {
    print("\n\(group.name): \(group.title)")
    try await group.run(Effort(isSmoke: isSmoke))
}
