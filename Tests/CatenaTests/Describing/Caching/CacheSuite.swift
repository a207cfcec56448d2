import Foundation

/// A suite of cache tests, decoded from its JSON export: a list of groups, each with a list of cases.
struct CacheSuite: Decodable {
    struct Group: Decodable { let tests: [Case] }

    /// Requests that one client makes one after the other, and the expectations of their responses.
    struct Case: Decodable {
        let id: String
        let kind: String?
        let browser_skip: Bool?
        let cdn_only: Bool?
        let requests: [Step]

        /// Whether a private cache has to pass the case.
        var isRequired: Bool { (kind ?? "required") == "required" && browser_skip != true && cdn_only != true }
    }

    /// A request, the server's response, and the expectations of client and server.
    struct Step: Decodable {
        let request_method: String?
        let request_headers: [Field]?
        let request_body: String?
        let query_arg: String?
        let filename: String?
        let pause_after: Bool?
        /// The cache mode of the Fetch standard.
        let cache: String?
        let disconnect: Bool?
        let magic_locations: Bool?
        let magic_ims: Bool?
        let rfc850date: [String]?
        let response_status: Status?
        let response_headers: [Field]?
        let response_body: String?
        let check_body: Bool?
        let expected_type: String?
        let expected_method: String?
        let expected_status: Int?
        let expected_request_headers: [Field]?
        let expected_request_headers_missing: [Field]?
        let expected_response_headers: [Field]?
        let expected_response_headers_missing: [Field]?
        let expected_response_text: String?

        var isValidated: Bool { expected_type?.hasSuffix("validated") == true }
    }

    /// A status, which the export writes with a reason phrase.
    struct Status: Decodable {
        let code: Int

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            code = try list.decode(Int.self)
        }
    }

    /// A header: its name alone, with a value, or with a comparison and its operand.
    struct Field: Decodable {
        enum Value {
            case text(String)
            /// For a date, the seconds from now. Otherwise a number.
            case number(Int)
        }

        let name: String
        private(set) var values: [Value] = []
        /// Whether the client has to receive the header as the server sent it.
        private(set) var isChecked = true

        init(from decoder: any Decoder) throws {
            if let name = try? decoder.singleValueContainer().decode(String.self) {
                self.name = name
                return
            }
            var list = try decoder.unkeyedContainer()
            name = try list.decode(String.self)
            while !list.isAtEnd {
                if let text = try? list.decode(String.self) {
                    values.append(.text(text))
                } else if let number = try? list.decode(Int.self) {
                    values.append(.number(number))
                } else {
                    isChecked = try list.decode(Bool.self)
                }
            }
        }
    }

    /// The path of the file with the export, or `nil` if `CATENA_CACHE_TESTS` is not set.
    static let file = ProcessInfo.processInfo.environment["CATENA_CACHE_TESTS"]

    let cases: [Case]

    init(from decoder: any Decoder) throws {
        cases = try decoder.singleValueContainer().decode([Group].self).flatMap(\.tests)
    }
}
