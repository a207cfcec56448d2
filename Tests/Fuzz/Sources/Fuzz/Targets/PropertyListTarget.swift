import Foundation

@testable import Catena

extension FuzzTarget {
    private static let secret = "planted-Secret-42"

    private static func propertyList(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat) -> [UInt8] {
        [UInt8]((try? PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)) ?? Data())
    }

    private static var samples: [[String: Any]] {
        [
            ["a": [1, 2.5, true, "é", Data([1, 2])], "b": ["c": Date(timeIntervalSince1970: 0), "token": "t"]],
            ["long": String(repeating: "x", count: 300), "list": (0..<20).map { $0 }, "password": ["deep": [["er": "p"]]]],
        ]
    }

    /// Property lists. A list that passes the check is decoded in bounded time and memory. A redacted list can be read, and its other values are unchanged.
    static let propertyLists = FuzzTarget(
        "propertyLists",
        seeds: samples.flatMap { [propertyList($0, .xml), propertyList($0, .binary)] },
        stepsPerByte: 6000
    ) { input in
        checkSecrets(of: input)
        guard (try? PropertyListCheck.check(Data(input))) != nil else { return }
        guard let value = try? PropertyListSerialization.propertyList(from: Data(input), format: nil) else { return }
        if let rules = try? PropertyListDecoder().decode(JSON.self, from: Data(input)) {
            expect((try? JSON(parsing: rules.encoded)) == rules, "what was decoded is no JSON: \(rules)")
        }
        // If the root is neither, Foundation ignores the bytes after it, which need not be a list.
        guard value is [Any] || value is [String: Any] else { return }
        var pass = RedactionPass(keepingFormAndHiding: .standard)
        guard let shown = pass.redact(body: input, contentType: "application/x-plist") else { return }
        // If a secret overlaps another object, the whole list is hidden.
        if shown == Array(Redaction.mark.utf8) { return }
        expect((try? PropertyListCheck.check(Data(shown))) != nil, "without its secrets the list is refused")
        let again = try? PropertyListSerialization.propertyList(from: Data(shown), format: nil)
        expect(again.map { type(of: $0) } == type(of: value), "without its secrets \(value) cannot be read: \(String(describing: again))")
    }

    /// Checks a list that contains a secret and the texts of the input.
    private static func checkSecrets(of input: [UInt8]) {
        let texts = FuzzInput(input).text.split(separator: "\n", maxSplits: 4).map(String.init)
        guard !texts.contains(where: { $0.contains("planted") }) else { return }
        let isText = texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0xFFFE } }
        for (format, isWhole) in [(PropertyListSerialization.PropertyListFormat.binary, true), (.xml, isText)] where isWhole {
            let list = propertyList(["open": texts, "inner": ["password": secret, "x": [texts.first ?? ""]], "api_key": [secret]], format)
            guard !list.isEmpty else { continue }
            for keepsForm in [true, false] {
                var pass = keepsForm ? RedactionPass(keepingFormAndHiding: .standard) : RedactionPass(ofBodyHiding: .standard)
                guard let shown = pass.redact(body: list, contentType: "application/x-plist") else { continue }
                let bytes = shown.filter { $0 != 0 }
                expect(
                    !String(decoding: bytes, as: UTF8.self).contains(secret), "the secret shows: \(String(decoding: bytes, as: UTF8.self))")
                guard keepsForm else { continue }
                let again = try? PropertyListSerialization.propertyList(from: Data(shown), format: nil) as? [String: Any]
                expect((again?["open"] as? [Any])?.count == texts.count, "\(texts) are shown as \(String(describing: again))")
            }
        }
    }
}
