/// What a JSON document may have; more is an attack on a parser.
package struct JSONLimits: Sendable {
    /// Containers in containers.
    package var depth = 64
    /// Values and names together: each takes 16 bytes of memory.
    package var tokens = 200_000

    package init() {}
}
