/// The reason why a failure looks like a success, with the step that would make it one. Some backends use a code such as 1 for success.
struct SuspectedSuccess: Sendable, Equatable {
    /// The code of the failure, as Swift writes it.
    let code: String

    /// Returns `nil` unless the failure has a code of its own, and a message from the list of words of success.
    ///
    /// - Parameter envelope: The envelope that has read the response.
    init?(_ error: APIError, by envelope: Envelope) {
        // A code with a category is known to the envelope. An adapter knows no codes of success.
        guard error.kind == .business, error.own == nil, error.category == nil, !envelope.places.hasAdapter,
            Self.isSuccess(error.message)
        else { return nil }
        switch error.code {
        case .integer(let number): code = "\(number)"
        // `false` stands for a failure without a code.
        case .string("false"): return nil
        case .string(let text):
            guard FailureWords.isToken(text), text.utf8.count <= Self.longestCode else { return nil }
            code = text.debugDescription
        }
    }

    /// The message for developers.
    var advice: String {
        "The message reads like a success, yet the code \(code) means none. If it does, add it to the envelope: .standard.addSuccess(\(code))."
    }

    /// A longer text is hardly a code.
    private static let longestCode = 32

    /// Whether a message is one of the words, apart from case, spaces and punctuation.
    static func isSuccess(_ message: String) -> Bool {
        // Bounds the work for a long message.
        guard message.utf8.count <= 64 else { return false }
        return words.contains(message.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    private static let words: Set<String> = [
        "ok", "okay", "success", "succeed", "succeeded", "successful", "successfully", "requestsuccessful", "operationsuccessful",
        "成功", "操作成功", "请求成功", "查询成功", "获取成功", "处理成功", "调用成功", "执行成功", "返回成功", "提交成功", "保存成功", "登录成功",
    ]
}
