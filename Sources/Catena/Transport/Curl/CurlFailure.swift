#if os(Linux)
import CCurl

/// Reads what sort of failure a result of libcurl means, by code and by how far the answer had come.
enum CurlFailure {
    static let noAnswer = APIError(.connectionLost, message: "The connection ended without an answer.")
    static let closed = APIError(.connect, message: "The transport is closed.")
    static let cutHead = APIError(.connectionLost, message: "The connection ended inside the head of the answer.")

    static func error(code: Int32, hasHead: Bool, hasBegun: Bool, received: Int64) -> APIError {
        let text = String(cString: catena_easy_error(code))
        switch code {
        case 3: return APIError(.invalidRequest, message: "The address cannot be used: \(text).")
        case 5, 6: return APIError(.dns, message: "The host's name could not be resolved.")
        case 7: return APIError(.connect, message: "No connection could be made.")
        case 28: return APIError(.timeout, message: "No connection was made in time.")
        case 35, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98:
            return APIError(.tls, message: "The secure connection failed: \(text).")
        case 52: return noAnswer
        case 18:
            return APIError(.connectionLost, message: "The connection ended after \(received) bytes of the body.")
        case 55, 56, 65:
            let place = hasHead ? "after \(received) bytes of the body" : hasBegun ? "inside the head of the answer" : "before the answer"
            return APIError(.connectionLost, message: "The connection was lost \(place).")
        case 1, 8, 27, 43, 92, 16: return APIError(.protocolViolation, message: "The answer breaks the rules of HTTP: \(text).")
        case 61, 23: return APIError(.decompression, message: "The body could not be decompressed.")
        default: return APIError(.connectionLost, message: "The transfer failed: \(text).")
        }
    }
}
#endif
