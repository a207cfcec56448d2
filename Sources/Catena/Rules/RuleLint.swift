public import Foundation

/// Looks for everything that is wrong with a file of rules, for the checks of an app.
///
/// ```
/// swift run catena-demo --check-rules Rules.json
/// ```
public enum RuleLint {
    /// Everything with which the file could not be loaded, or else what no call could be made of.
    ///
    /// - Parameter registry: What names in rules may stand for; without one, every `Response Class` is taken for known.
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
