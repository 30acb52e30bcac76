// The inside of a segmenter.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SEGMENTER_IMPL_H
#define SLT_SEGMENTER_IMPL_H

#include "core/context_impl.h"
#include "segmenter/member.h"
#include "slottar/segmenter.h"
#include "vote/vote.h"

#define SLT_ENOUGH_TRUST .8 // below this a result is doubtful
enum { SLT_SEGMENTER_TEXT = 4608 };

// whose boundaries count how much, and from which height on they are kept
typedef struct {
    double *weights; // [members]
    double threshold;
    double undecided; // share of boundaries that other runs would change; known while it learns
} slt_vote_of;

typedef struct {
    const slt_group_spec *spec;
    slt_vote_rules rules;
    int hop; // steps between windows, which is the tolerance, too; 0: chains of steps
    slt_member *members;
    int count;                             // members that ended
    slt_vote_of votes[1 + SLT_MOST_MODES]; // all of them; then each mode
    int modes;
    double length;    // steps of a segment, on average
    bool undivided;   // all runs learned from the same steps
    float *agreement; // [members][members]; NULL: the file does not tell
    int8_t *mode;     // [members] answer that a member gives, 1..; 0: none
} slt_run_group;

struct slt_segmenter {
    slt_context *context;
    slt_arena arena;
    char *source;                      // the data that it learned from, or its file
    char *data;                        // the data that it learned from
    char settings[SLT_SEGMENTER_TEXT]; // what it was made with
    slt_segmenter_options options;
    slt_vote_result result;
    bool continuous;
    int actions, observation; // what data must have: actions or numbers per action; observations
    const char *const *names; // [actions] while it learns; NULL: none
    slt_motion_scale scale;
    double noise; // of the actions, in standard deviations
    int counts;
    double *told;            // [counts] chance of 1 .. counts segments; NULL: nothing is known
    double *possible;        // [counts] what chains are told of it: which counts occur, all alike
    slt_vote_told vote_told; // what the vote is told of it
    int group_count, answer;
    int elected; // the group that the vote chose; result.chosen: the one that answers
    slt_run_group groups[SLT_MOST_GROUPS];
    void *stream_plans; // what its streams read, in its arena; NULL: nothing streamed yet
};

// ---- members

// what a run learns from
typedef struct {
    const int64_t *episodes;
    int64_t count;
    uint64_t seed;
} slt_run_half;

slt_status slt_recording_read(slt_segmenter *s, slt_arena *arena, const slt_run_group *group,
                              slt_dataset *data, const int64_t *episodes, int64_t count,
                              slt_recording *out);
// learns from the given episodes of the recording
slt_status slt_member_fit(slt_segmenter *s, const slt_run_group *group, slt_member *member,
                          const slt_recording *recording, const int64_t *episodes, int64_t count,
                          uint64_t seed);
// boundaries and laws ([steps]) of all episodes of a recording; chance: of a boundary after each
// step, or NULL
slt_status slt_member_segment(slt_segmenter *s, const slt_run_group *group,
                              const slt_member *member, const slt_recording *recording,
                              uint8_t *cut, uint8_t *law, float *chance);

// the last step before the law changes at a boundary: of phases, a step away from it where it was
// placed there
static inline int64_t slt_change_at(const slt_run_group *group, const uint8_t *law, int64_t t) {
    if (group->spec->kind != SLT_GROUP_PHASES || law[t] != law[t + 1]) return t;
    return t && law[t - 1] != law[t] ? t - 1 : t + 1;
}

// ---- members on the context's device, all at once

// whether it knows the group's chains
slt_status slt_members_on_device(slt_segmenter *s, const slt_run_group *group, bool *out);
// members first ... first + count - 1, each from its own list of episodes
slt_status slt_members_fit(slt_segmenter *s, slt_run_group *group, const slt_recording *recording,
                           int first, int count, const slt_run_half *halves);
// of all members: [count][steps]
slt_status slt_members_segment(slt_segmenter *s, const slt_run_group *group,
                               const slt_recording *recording, uint8_t *cut, uint8_t *law);

// for files; init and unpack refuse what does not fit, with the file's name; size: how many values
// the file has
slt_member_shape slt_member_shape_of(const slt_run_group *group, const slt_member *member);
size_t slt_member_size(const slt_run_group *group, const slt_member *member);
void slt_member_pack(const slt_run_group *group, const slt_member *member, double *values);
slt_status slt_member_init(slt_segmenter *s, const slt_run_group *group, slt_member *member,
                           const slt_member_shape *shape, size_t size, const char *path);
slt_status slt_member_unpack(slt_segmenter *s, const slt_run_group *group, slt_member *member,
                             const double *values, const char *path);

void slt_segmenter_describe(const slt_segmenter_options *options, const char *data, char *out,
                            size_t size);

// what chains are told, from what the user told
slt_status slt_segmenter_tell(slt_segmenter *s);
// what the chains of a group count with: `possible`, or NULL. Phase chains are not told where
// counts differ: laws that are one phase would count as several.
const double *slt_group_counts(const slt_segmenter *s, const slt_run_group *group);

// ---- the vote

// Boundaries of every member on a recording, members shared out to threads.
slt_status slt_group_ballots(slt_segmenter *s, const slt_run_group *group,
                             const slt_recording *recording, slt_arena *arena, slt_ballots *out,
                             uint8_t ***laws);
// how certain members are, on some of the held-out episodes
typedef struct {
    slt_ballots shape; // of these episodes, no runs
    double *own;       // [members] of the boundaries that a member found
    float **chance;    // [members][steps] that it gives to a boundary
} slt_certainty;
// Asks all members; sets their `sure`.
slt_status slt_group_certainty(slt_segmenter *s, const slt_run_group *group, slt_arena *arena,
                               const slt_recording *held_out, slt_certainty *out);
// of members together, each by its weight
slt_status slt_certainty_of(slt_arena *arena, const slt_run_group *group,
                            const slt_certainty *certainty, const double *weights, double *out);
// Weights, thresholds and modes of a group from held-out episodes, and what it says of itself; its
// arrays are of `arena`.
slt_status slt_group_settle(slt_segmenter *s, slt_run_group *group, slt_arena *arena,
                            const slt_recording *held_out, slt_vote_group *out);
// how the vote of the first members stands, in words: the group itself stays as it is
slt_status slt_group_standing(slt_segmenter *s, const slt_run_group *group, int members,
                              const slt_recording *held_out, char *words, size_t size);
// what sets an answer apart from the first, or what the first is: boundaries on the same episodes
slt_status slt_answer_describe(slt_segmenter *s, slt_arena *arena, const slt_recording *recording,
                               const uint8_t *first, const uint8_t *other,
                               char words[SLT_ANSWER_WORDS]);
// which group answers
void slt_segmenter_elect(slt_segmenter *s);
// the same, and what a user should know; groups: how many should have voted
void slt_segmenter_judge(slt_segmenter *s, int groups);
// this group answers: what a user should know of it
void slt_segmenter_choose(slt_segmenter *s, int group);

#endif
