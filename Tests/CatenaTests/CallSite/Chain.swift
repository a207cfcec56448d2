/// A chain of the greatest usual length, with the overloads that callers use.
enum Chain: String, CaseIterable, Sendable {
    case shortClosures
    case multiStatementClosures
    /// Begins and continues with calls whose types the compiler infers.
    case inferredCalls

    /// The links of the chain. None of them converts and calculates in one expression, such as `Double(number) * 0.5 + 1`. If the closure's
    /// result is inferred, such an expression needs thousands of scopes even with `Array.map`, which would hide the cost of the chain.
    static let links: [(step: String, parameter: String, expression: String)] = [
        ("map", "number", "number + 1 * 2 - 3"),
        ("then", "number", "screen.total += number * 2 + 1"),
        ("flatMap", "number", "Promise(value: number * 2 + 1)"),
        ("catch", "error", "screen.text = error.message + \"!\""),
        ("recover", "error", "(error.status ?? 0) + error.attempts * 2"),
        ("then(on: queue)", "number", "log(\"\\(number + 1)\" + \"!\")"),
        ("catch(.unauthorized)", "error", "screen.text = error.message + \"?\""),
        ("finally", "", "screen.total += 1 + 2 * 3"),
        ("flatRecover", "error", "Promise(value: error.attempts + 1 * 2)"),
        ("catch(as: CocoaError.self)", "error", "screen.total += error.code.rawValue - 1"),
        ("map", "number", "\"\\(number * 2)\" + \"a\" + \"b\""),
        ("flatMap", "text", "Promise(value: text + \"c\" + \"d\")"),
        ("recover(.code(10086, \"E01\"))", "error", "error.message + \"e\" + \"f\""),
        ("then", "text", "screen.text = text + \"g\" + \"h\""),
        ("catch(on: queue)", "error", "log(error.message + \"i\" + \"j\")"),
        ("finally(on: queue)", "", "log(\"k\" + \"l\")"),
    ]

    /// The source file of a caller.
    var source: String {
        let links = links.map { "        .\($0.step) {\(closure($0.parameter, $0.expression))}" }
        return """
            import Catena
            import Foundation

            @MainActor final class Screen {
                var total = 0
                var text = ""
            }

            func log(_ text: String) {}

            @MainActor func chain(_ promise: Promise<Int>, _ screen: Screen, _ queue: DispatchQueue) {
                \(self == .inferredCalls ? "API.get(\"/a\").execute()" : "promise")
            \(links.joined(separator: "\n"))
            }
            """
    }

    private var links: [(step: String, parameter: String, expression: String)] {
        guard self == .inferredCalls else { return Self.links }
        let calls = Self.links.map { link in
            guard link.step == "flatMap" else { return link }
            return (link.step, link.parameter, "API.get(\"/b\").query(\"q\", \(link.parameter)).execute().map { _ in \(link.parameter) }")
        }
        return [("map", "ret", "ret.id.int ?? 0")] + calls
    }

    private func closure(_ parameter: String, _ expression: String) -> String {
        let head = parameter.isEmpty ? " " : " \(parameter) in "
        switch self {
        case .shortClosures, .inferredCalls:
            return head + expression + " "
        case .multiStatementClosures:
            let result = expression.contains("screen.") || expression.contains("log(") ? expression : "return \(expression)"
            return "\(head)\n            let twice = 2 * 1 + 0\n            log(\"\\(twice)\")\n            \(result)\n        "
        }
    }
}
