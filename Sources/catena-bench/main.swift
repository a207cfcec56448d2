import Foundation

// Prints what Catena costs beside what a user would write by hand, both measured in one run.
//
//   swift run -c release catena-bench              everything
//   swift run -c release catena-bench prepare      one group
//   swift run -c release catena-bench --smoke      everything, briefly, to see that it runs

let arguments = CommandLine.arguments.dropFirst()
let isSmoke = arguments.contains("--smoke")
let names = arguments.filter { !$0.hasPrefix("-") }
let known = Group.all.map(\.name)

guard names.allSatisfy(known.contains) else {
    print("Known groups: \(known.joined(separator: ", "))")
    exit(2)
}

for group in Group.all where names.isEmpty || names.contains(group.name) {
    print("\n\(group.name): \(group.title)")
    try await group.run(Effort(isSmoke: isSmoke))
}
