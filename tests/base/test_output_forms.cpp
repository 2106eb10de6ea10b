// The table of output forms: what each line must say for its readers, and what is asked in vain.
#include "core/base/output_forms.h"

#include <gtest/gtest.h>

#include <set>

namespace loopscope {
namespace {

TEST(OutputForms, EachLineSaysWhatItsReadersNeed) {
    std::set<std::string> names, titles, endings;
    for (const auto& form : output_forms()) {
        EXPECT_TRUE(names.insert(form.name).second) << form.name;
        EXPECT_TRUE(titles.insert(form.title).second) << form.title;
        EXPECT_TRUE(endings.insert(form.ending).second) << "files are told apart: " << form.ending;
        EXPECT_EQ(form.ending[0], '.') << form.name;
        EXPECT_TRUE(std::string(form.summary).ends_with(".")) << form.name;
        EXPECT_FALSE(is_after_pass(form.name)) << form.name;
        EXPECT_EQ(find_output_form(form.name), &form);
        EXPECT_EQ(form.machine == OutputForm::Machine::Gpu, form.target != nullptr)
            << form.name << ": a GPU's form is lowered for a GPU";
    }
}

TEST(OutputForms, TakeWhatTheirLineSays) {
    for (const auto& form : output_forms()) {
        EXPECT_TRUE(check_output_form(form.name, false, "")) << form.name;
        EXPECT_EQ(check_output_form(form.name, true, "").ok(), form.main_does != nullptr)
            << form.name;
        EXPECT_EQ(check_output_form(form.name, false, "sm_80").ok(), form.takes_architecture)
            << form.name;
    }
    EXPECT_TRUE(check_output_form("after:flatten", false, "")) << "the passes have their own list";
    EXPECT_FALSE(check_output_form("after:flatten", true, ""));
    EXPECT_FALSE(check_output_form("after:flatten", false, "sm_80"));
}

TEST(OutputForms, ARefusalNamesAllThatThereAre) {
    const auto refused = check_output_form("cude", false, "");
    ASSERT_FALSE(refused);
    const auto text = format(refused.errors());
    EXPECT_NE(text.find("no form `cude`"), std::string::npos) << text;
    EXPECT_NE(text.find("did you mean `cuda`?"), std::string::npos) << text;
    for (const auto& form : output_forms())
        EXPECT_NE(text.find(form.name), std::string::npos) << form.name;
}

} // namespace
} // namespace loopscope
