#if os(Linux)
import Catena
import Testing

/// The engine over libcurl, which Catena has where the system's libcurl is new enough.
enum Engine {
    /// The reason why the engine cannot run here; `nil` if it can.
    static let missing: String? = {
        do throws(CurlTransport.Unavailable) {
            _ = try CurlTransport()
            return nil
        } catch {
            return error.description
        }
    }()

    static var isThere: Bool { missing == nil }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test that needs the engine where the engine cannot run, and names the reason.
    static var needsEngine: Self { .enabled(if: Engine.isThere, "\(Engine.missing ?? "the engine runs")") }
}
#endif
