import Foundation
import Testing

@testable import Catena

/// The choice among several codes.
@Suite(.limitedParallelism) struct EnvelopeCodeChoiceTests {
    @Test(
        "an ambiguous code does not hide an unmistakable one, and becomes the error's code once a flag reports a failure",
        arguments: [
            (#"{"code":"US","errno":5,"list":[]}"#, 5), (#"{"error_code":17,"code":"abc","x":1}"#, 17),
            (#"{"success":false,"code":"E42"}"#, "E42"), (#"{"success":false,"code":"E42","x":1}"#, "E42"),
            (#"{"code":"US","name":"x"}"#, nil), (#"{"success":true,"code":"US","name":"x"}"#, nil),
        ] as [(String, ErrorCode?)])
    func choice(body: String, code: ErrorCode?) throws {
        let response = HTTPResponse(status: 200, body: Data(body.utf8), address: try HTTPAddress(parsing: "https://h/"))
        let reader = EnvelopeReader(envelope: .standard, decoded: JSON.self)
        guard let code else { return _ = try reader.read(response) }
        let error = #expect(throws: APIError.self) { try reader.read(response) }
        #expect(error?.code == code)
    }
}
