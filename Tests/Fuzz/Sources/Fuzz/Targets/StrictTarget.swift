import Foundation

@testable import Catena

extension FuzzTarget {
    /// Strict envelopes, compared with a reader of twenty lines.
    static let strict = FuzzTarget(
        "strict",
        seeds: [
            #"{"code":0,"msg":"","data":{"id":1}}"#, #"{"code":7,"msg":"no"}"#, #"{"code":"0","data":1}"#, #"{"code":"00"}"#,
            #"{"code":false,"data":null}"#, #"{"Code":0,"code":0.0,"msg":{"a":1}}"#, #"[{"code":0}]"#, #"{"ok":true,"data":[]}"#,
            #"{"ok":false,"msg":"m"}"#, #"{"ok":1,"code":{"a":{"b":0}}}"#, "", " \r\n", "<html>", #"{"code":0,"data":1"#,
            "\u{FEFF}{\"code\":1e0}",
        ],
        // Three errors quote the start of the body, in which each word is compared with the names of secrets.
        stepsPerByte: 5000, steps: 1_500_000
    ) { input in
        var input = FuzzInput(input)
        let status = input.choice(among: [200, 200, 201, 204, 404, 500])
        let isFlag = input.byte().isMultiple(of: 2)
        let hasData = input.byte().isMultiple(of: 2)
        let body = Data(input.rest)
        let envelope =
            isFlag
            ? Envelope(flag: "ok", message: "msg", data: hasData ? "data" : nil)
            : Envelope(code: "code", success: 0, "S", message: "msg", data: hasData ? "data" : nil)
        guard let address = try? HTTPAddress(parsing: "https://forum.example.com/") else { return }
        let response = HTTPResponse(status: status, headers: [:], body: body, address: address)
        for want in Want.allCases {
            let given: String
            do {
                let reading = try EnvelopeReader(envelope: envelope, decoded: want.decoded).read(response)
                let value =
                    switch want {
                    case .nothing: JSON.nullValue
                    case .body: try JSON(parsing: reading.text)
                    case .payload: try ResultDecoder<JSON>.json.value(reading) { JSONPayloadDecoder() }
                    }
                given = "ok " + String(decoding: value.encoded, as: UTF8.self)
            } catch let error as APIError {
                given =
                    "\(error.kind) \(error.kind == .unrecognizedResponse || error.kind == .missingPayload ? "" : "\(error.code) \(error.message)")"
            } catch {
                given = "\(error)"
            }
            let wanted = plain(body, status, isFlag: isFlag, hasData: hasData, want)
            expect(given == wanted, "\(status) \(isFlag) \(hasData) \(want): \(given), but it should be \(wanted)")
        }
    }

    /// The part that a call returns: that of `void()`, `data()` and `value()`.
    private enum Want: CaseIterable {
        case nothing, body, payload

        var decoded: Any.Type? {
            switch self {
            case .nothing: Void.self
            case .body: nil
            case .payload: JSON.self
            }
        }
    }

    /// A function of its own: the optimizer of Swift 6.3.1 crashes where the property is inlined.
    @inline(never) private static func flag(_ value: JSON) -> Bool? { value.bool }

    /// Reads a response as the guide's table says.
    private static func plain(_ body: Data, _ status: Int, isFlag: Bool, hasData: Bool, _ want: Want) -> String {
        let root = try? JSON(parsing: BodyText.utf8(of: body, declaredBy: nil))
        func member(_ key: String) -> JSON? {
            if case .object(let object)? = root?.storage { object[key] } else { nil }
        }
        let mark = member(isFlag ? "ok" : "code")
        let flag = mark.flatMap(flag)
        let code: ErrorCode? = isFlag ? flag.map { _ in "false" } : mark?.envelopeCode
        let isGood = isFlag ? flag == true : code == 0 || code == "0" || code == "S"
        let words = member("msg").flatMap { $0.isNull ? nil : $0.string ?? String(decoding: $0.encoded, as: UTF8.self) } ?? ""
        guard (200..<300).contains(status) else {
            return "status \(isGood || isFlag ? .integer(status) : code ?? .integer(status)) \(words)"
        }
        guard let root, let code else { return "unrecognizedResponse " }
        guard isGood else { return "business \(code) \(words)" }
        if want == .nothing { return "ok null" }
        let payload = hasData && want == .payload ? member("data") : root
        guard let payload, !payload.isNull else { return "missingPayload " }
        return "ok " + String(decoding: payload.encoded, as: UTF8.self)
    }
}
