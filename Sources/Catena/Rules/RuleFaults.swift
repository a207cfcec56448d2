public import Foundation

/// One thing that is wrong with a file of rules.
public struct RuleFault: Sendable, Equatable, CustomStringConvertible {
    /// Where it is, from the top: `@forum.TopicList.Expire`; "" for the file as a whole.
    public let path: String
    public let reason: String

    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// Everything that is wrong with a file of rules, which is then not loaded at all.
public struct RuleFaults: Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
    /// At least one, in the order of the file.
    public let faults: [RuleFault]

    init(_ faults: [RuleFault]) {
        self.faults = faults
    }

    init(_ reason: String) {
        faults = [RuleFault(path: "", reason: reason)]
    }

    /// One line for each.
    public var description: String { faults.map(\.description).joined(separator: "\n") }

    public var errorDescription: String? { description }
}
