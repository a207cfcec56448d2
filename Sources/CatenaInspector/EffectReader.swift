import Catena
import Foundation

/// Parses the JSON of an ``Effect`` that the inspector's page sends. The page shows the words of a refusal.
struct EffectReader {
    typealias Refusal = Doorkeeper.Refusal

    private let json: JSON
    private let tags: [String]

    /// The maximum delay in milliseconds.
    private static let longestDelay = 600_000.0

    init(_ description: Data, tags: [String]) throws(Refusal) {
        do throws(JSONSyntaxError) {
            json = try JSON(parsing: description)
        } catch {
            throw .init(status: 400, words: "The effect is not JSON: \(error)")
        }
        guard json.object != nil else { throw .init(status: 400, words: "The effect is no JSON object.") }
        self.tags = tags
    }

    func effect() throws(Refusal) -> (kind: Effect.Kind, tag: Tag?) {
        let kind: Effect.Kind
        switch json.kind.string {
        case "stub": kind = .stub(try response())
        case "slow": kind = .slow(try delay())
        case "fail": kind = .fail(share: try share(), status: try json.status.isNull ? nil : status())
        case "offline": kind = .offline
        default: throw .init(status: 400, words: "\"kind\" is none of stub, slow, fail and offline.")
        }
        return (kind, try tag())
    }

    private func tag() throws(Refusal) -> Tag? {
        if json.tag.isNull { return nil }
        guard let name = json.tag.string, tags.contains(name) else {
            let known = tags.isEmpty ? "No tag is configured." : "Configured are: \(tags.joined(separator: ", "))."
            throw .init(status: 400, words: "There is no tag \"\(json.tag.string ?? "")\". \(known)")
        }
        return Tag(name)
    }

    private func response() throws(Refusal) -> CannedResponse {
        guard let path = json.path.string.map({ $0.prefix { $0 != "?" && $0 != "#" } }), path.hasPrefix("/") || path.hasPrefix("*") else {
            throw .init(status: 400, words: "\"path\" has to begin with a slash.")
        }
        var response = CannedResponse(path: String(path))
        if let method = json.method.string, !method.isEmpty {
            guard method.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }) else {
                throw .init(status: 400, words: "\"method\" is no method.")
            }
            response.method = HTTPMethod(method)
        }
        if !json.status.isNull { response.status = try status() }
        if !json.delay.isNull { response.delay = try delay() }
        for field in json.headers.array ?? [] {
            guard let name = field[0].string, let value = field[1].string, Self.isName(name), Self.isValue(value) else {
                throw .init(status: 400, words: "A header is no pair of a name and a value.")
            }
            // Omit headers that describe the body of the recorded response. It may have been compressed, and the page's user may have edited it.
            let isFraming = ["content-length", "transfer-encoding", "content-encoding", "connection"].contains(name.lowercased())
            if !isFraming { response.headers.add(value, for: name) }
        }
        response.body = json.body.string ?? ""
        try check(response)
        return response
    }

    private func check(_ response: CannedResponse) throws(Refusal) {
        let type = (response.headers["Content-Type"] ?? "").lowercased()
        // Types such as `application/jsonl` have one document on each line.
        guard type.contains("json"), !type.contains("jsonl"), !type.contains("ndjson"), !response.body.isEmpty else { return }
        do throws(JSONSyntaxError) {
            _ = try JSON(parsing: Data(response.body.utf8))
        } catch {
            throw .init(status: 400, words: "The body is not JSON, though its Content-Type says so: \(error)")
        }
    }

    private func status() throws(Refusal) -> Int {
        guard let status = json.status.int, (200...599).contains(status) else {
            throw .init(status: 400, words: "\"status\" is none from 200 to 599.")
        }
        return status
    }

    private func share() throws(Refusal) -> Double {
        guard let share = json.share.double, (0...1).contains(share) else {
            throw .init(status: 400, words: "\"share\" is no number from 0 to 1.")
        }
        return share
    }

    private func delay() throws(Refusal) -> Duration {
        guard let delay = json.delay.double, (0...Self.longestDelay).contains(delay) else {
            throw .init(status: 400, words: "\"delay\" is no number of milliseconds up to \(Int(Self.longestDelay)).")
        }
        return .microseconds(Int(delay * 1000))
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }

    private static func isValue(_ value: String) -> Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
}
