public import Foundation

/// One thing that is wrong with a file of rules.
public struct RuleFault: Sendable, Equatable, CustomStringConvertible {
    /// Where it is, from the top: `@forum.TopicList.Expire`; "" for the file as a whole.
    public let path: String
    /// What is wrong, as a message for developers.
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

/// Looks for everything that is wrong with a file of rules, for the checks of an app.
///
/// ```
/// swift run catena-demo --check-rules Rules.json
/// ```
public enum RuleLint {
    /// Everything with which the file could not be loaded, or else what no call could be made of.
    ///
    /// - Parameters:
    ///   - data: The content of the file, JSON or a property list.
    ///   - registry: What names in rules may stand for; without one, every `Response Class` is taken for known.
    public static func faults(in data: Data, registry: RuleRegistry = RuleRegistry(checksClasses: false)) -> [RuleFault] {
        do throws(RuleFaults) {
            let rules = try RuleSet(parsing: data, registry: registry)
            return rules.names.filter { rules[$0]?.path == nil }.map {
                RuleFault(path: $0, reason: "it has no \"Path\", and neither has \"DEFAULT\"")
            }
        } catch {
            return error.faults
        }
    }
}
