import Catena

/// Sends a GET to a URL of the user.
enum OneCall {
    static func run(_ url: String) async -> Bool {
        print("API.absoluteURL(\"\(url)\").execute()")
        let start = ContinuousClock.now
        do {
            let value = try await API.absoluteURL(url).value()
            print("gave in \(milliseconds(since: start)):")
            print(value)
            return true
        } catch let error as APIError {
            print("failed in \(milliseconds(since: start)): \(error.kind), code \(error.code)")
            print(error.message)
            return false
        } catch {
            print("failed: \(error)")
            return false
        }
    }
}

func milliseconds(since start: ContinuousClock.Instant) -> String {
    let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    return milliseconds < 10 ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int(milliseconds)) ms"
}
