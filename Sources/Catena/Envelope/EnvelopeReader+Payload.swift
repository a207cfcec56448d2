import Foundation

// What becomes of the payload before it is decoded.
extension EnvelopeReader {
    /// Puts in place what the call asked for, and does to it what the rules say.
    func select(in document: EnvelopeDocument, _ reading: inout Reading, _ found: EnvelopePlaces.Rules?) -> APIError? {
        unwrap(&reading, document.scan)
        guard decoded != nil, let numbered = found ?? envelope.places.rules.first else { return nil }
        reading.isEmptyArrayObject = numbered.rules.isEmptyArrayObject
        if numbered.changesPayload, let failure = change(&reading, by: numbered.rules, in: document) { return failure }
        if numbered.rules.removesNulls { reading.removeNulls() }
        return nil
    }

    /// Puts in place what the call asked for of an answer that an adapter has read.
    func unwrap(_ reading: inout Reading) {
        guard envelope.places.unwrap != .payload, !reading.text.isEmpty else { return }
        // A body that is no JSON has no places.
        unwrap(&reading, try? JSONScan(reading.text, tree: envelope.places.tree))
    }

    private func unwrap(_ reading: inout Reading, _ scan: JSONScan?) {
        let places = envelope.places
        switch places.unwrap {
        case .payload: break
        case .body: reading.payload = .body
        case .path:
            let span = places.unwrapped.flatMap { scan?[$0] }
            reading.payload = span.flatMap { $0.kind == .null ? nil : .range($0.range) } ?? .missing
            reading.isPlaceMissing = reading.payload == .missing
        }
    }

    private func change(_ reading: inout Reading, by rules: EnvelopeRules, in document: EnvelopeDocument) -> APIError? {
        let range: Range<Int>
        switch reading.payload {
        case .body: range = document.scan.root.range
        case .range(let payload): range = payload
        case .bytes, .missing, .empty: return nil
        }
        var bytes = document.text.bytes(in: range)
        if bytes.first == UInt8(ascii: "\"") {
            bytes = Data(document.text(at: JSONSpan(kind: .string, range: range)).utf8)
        } else if rules.transform == nil {
            return nil
        }
        if let transform = rules.transform {
            do {
                bytes = try transform(bytes)
            } catch {
                return reading.failure(.decoding, "transformPayload: \(APIError.wrapping(error).message)", underlying: error)
            }
        } else if bytes.first != UInt8(ascii: "{"), bytes.first != UInt8(ascii: "[") {
            return nil
        }
        do throws(JSONSyntaxError) {
            reading.payload = try JSONScan(bytes, paths: []).root.kind == .null ? .missing : .bytes(bytes)
            return nil
        } catch {
            return reading.malformed(error, as: decoded ?? JSON.self, in: bytes)
        }
    }
}
