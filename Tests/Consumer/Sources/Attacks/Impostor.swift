import Foundation

/// A server on the port of an inspector that is down.
enum Impostor {
    typealias Response = @Sendable (_ head: String) -> String

    static func always(_ body: String) -> Response {
        { _ in "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        }
    }

    /// Answers with the number of the page in place of each proof.
    static let echo: Response = { head in
        let number =
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-inspector-number") }?.split(separator: " ").last ?? ""
        return always(#"{"key":"\#(number)","code":"\#(number)","renewal":"\#(number)","number":"\#(number)","sealed":"\#(number)"}"#)(head)
    }

    /// Asks the app for the proof, in its own name and in that of the relay.
    static func relaying(to app: InspectorAttacks.App) -> Response {
        { head in
            let lines = head.components(separatedBy: "\r\n").filter {
                !$0.lowercased().hasPrefix("host:") && !$0.lowercased().hasPrefix("connection:")
            }
            let relayed = ([lines[0], "Host: \(app.host)", "Connection: close"] + lines.dropFirst()).joined(separator: "\r\n")
            return Exchange.run(app.port, relayed)
        }
    }

    /// Returns the body of the app's proofs for a number.
    static func proofs(of app: InspectorAttacks.App, number: String) -> String {
        let text = Exchange.run(
            app.port, "GET /api/proof HTTP/1.1\r\nHost: \(app.host)\r\nX-Inspector-Number: \(number)\r\nConnection: close\r\n\r\n")
        return text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
    }
}
