package io.github.vicinal.samples.trainticket.station;

/**
 * A station.
 *
 * @param id the id, such as "shanghai"
 * @param name the name, such as "Shang Hai"
 * @param stayMinutes how long trains stop there
 */
public record Station(String id, String name, int stayMinutes) {
}
