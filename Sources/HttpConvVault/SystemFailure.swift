/// A failed system call.
public struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call, such as `open`.
    public let call: String
    /// The value of `errno`.
    public let number: Int32

    public var description: String { "\(call) failed with error \(number)" }
}
