package io.github.vicinal.transport.wire;

/**
 * What one side accepts from the other.
 *
 * @param maxFrameBytes the longest frame, without its fixed part
 * @param maxHeaders the largest number of headers in a frame
 * @param maxHeaderBytes the longest header block
 */
public record WireLimits(int maxFrameBytes, int maxHeaders, int maxHeaderBytes) {
}
