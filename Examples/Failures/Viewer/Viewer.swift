import Foundation

/// Prints what the user of a program sees, and compares it with what the user should see.
@MainActor
public final class Viewer {
    private var isRight = true

    public init() {}

    /// Prints a line. If it is not the expected one, prints that, too, and the program fails.
    public func see(_ place: String, _ text: String, expected: String) {
        print("\(place): \(text)")
        guard text != expected else { return }
        isRight = false
        print("  expected: \(expected)")
    }

    /// Ends the program, with the status 0 if each line was the expected one.
    public func finish() -> Never {
        print(isRight ? "Each line is as expected." : "Some lines are not as expected.")
        exit(isRight ? 0 : 1)
    }
}
