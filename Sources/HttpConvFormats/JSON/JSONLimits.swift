/// The limits of a JSON document. A document beyond them is an attack on the parser.
package struct JSONLimits: Sendable {
    /// The depth of nested containers.
    package var depth = 64
    /// The number of values and names. Each takes 16 bytes of memory.
    package var tokens = 200_000

    package init() {}
}
