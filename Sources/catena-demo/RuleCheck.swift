import Catena
import CatenaRules
import Foundation

/// Reports all errors of a rule file, for an app's continuous integration.
enum RuleCheck {
    /// - Parameter arguments: The file, and `--class NAME` for each type that the app registers.
    static func run(_ arguments: [String]) -> Int32 {
        guard let file = arguments.first, !file.hasPrefix("-"), let registry = registry(arguments.dropFirst()) else {
            print("usage: catena-demo --check-rules FILE [--class NAME]…")
            return 2
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: file))
        } catch {
            print("\(file) could not be read: \(error.localizedDescription)")
            return 1
        }
        let faults = RuleLint.faults(in: data, registry: registry)
        for fault in faults { print("\(file): \(fault)") }
        print(faults.isEmpty ? "\(file): nothing is wrong" : "\(file): \(faults.count) fault\(faults.count == 1 ? "" : "s")")
        return faults.isEmpty ? 0 : 1
    }

    /// Returns a registry of the classes in the arguments, or of all classes if there are none. `nil` if the arguments are invalid.
    private static func registry(_ arguments: ArraySlice<String>) -> RuleRegistry? {
        var registry = RuleRegistry(checksClasses: !arguments.isEmpty)
        var rest = arguments
        while let option = rest.popFirst() {
            guard option == "--class", let name = rest.popFirst() else { return nil }
            registry.register(JSON.self, as: name)
        }
        return registry
    }
}
