import Foundation

// Measures Catena and handwritten code in one run.
//
//   swift run -c release catena-bench              everything
//   swift run -c release catena-bench prepare      one group
//   swift run -c release catena-bench --smoke      everything, briefly, to check that it runs

let arguments = CommandLine.arguments.dropFirst()
let isSmoke = arguments.contains("--smoke")
let names = arguments.filter { !$0.hasPrefix("-") }

// Runs one operation repeatedly and nothing else, for callgrind and similar tools.
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
